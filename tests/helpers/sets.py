"""Scores as a frame, and as a summary."""

import numpy as np
import pandas as pd

import betaroc as br


def frame_of(scores, **columns):
    """The rows of a set, clients first."""
    label = np.repeat([1, 0], [scores.n_client, scores.n_impostor])
    return pd.DataFrame({"score": np.r_[scores.client, scores.impostor], "label": label, **columns})


def summary_of(scores, **options):
    return br.summarize(frame_of(scores), **options)

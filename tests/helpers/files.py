"""Score files that tests write."""

import numpy as np
import pandas as pd

#: The configuration of a small study, to which keys may be put before and parameters after.
STUDY = """statistics = ["true.auc"]
[design.grid]
a_c = [2.0, 3.0]
b_c = 1.0
a_i = 1.0
b_i = 2.0
"""


def write(path, client, impostor, **columns):
    """A file of score, label and other columns of clients first, and its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scores = np.r_[client, impostor].astype(float)
    labels = np.repeat([1, 0], [len(client), len(impostor)])
    pd.DataFrame({"score": scores, "label": labels} | columns).to_csv(path, index=False)
    return str(path)

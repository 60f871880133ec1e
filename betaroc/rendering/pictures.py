"""Pictures: functions that draw what curves and laws hold, and compute nothing new."""

from __future__ import annotations

from betaroc.decision.pictures import plot_a_priori, plot_a_priori_points
from betaroc.fits.pictures import plot_fit
from betaroc.rendering.comparison import plot_comparison, plot_difference, plot_difference_histogram
from betaroc.rendering.curves import plot_det, plot_precision_recall, plot_roc
from betaroc.rendering.densities import plot_densities, plot_density, plot_histogram
from betaroc.rendering.ensemble import plot_ensemble, plot_gains, plot_hull, plot_learned
from betaroc.rendering.epc import plot_epc, plot_expected_obtained

__all__ = [
    "plot_a_priori",
    "plot_a_priori_points",
    "plot_comparison",
    "plot_densities",
    "plot_density",
    "plot_det",
    "plot_difference",
    "plot_difference_histogram",
    "plot_ensemble",
    "plot_epc",
    "plot_expected_obtained",
    "plot_fit",
    "plot_gains",
    "plot_histogram",
    "plot_hull",
    "plot_learned",
    "plot_precision_recall",
    "plot_roc",
]

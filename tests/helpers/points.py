"""Statistics and points."""

VALUES = {"between": (0.0, 0.2), "threshold": 0.5, "far": 0.1, "frr": 0.1, "tpr": 0.9,
    "alpha": 0.4, "at": "eer", "probability": 0.3, "log_odds": 1.0}  # fmt: skip
#: Statistics of beta pairs, each at a point: one of every kind.
ASKED = [("auc", {}), ("partial-auc", {"between": (0.0, 0.2)}), ("tpr", {"far": 0.1}),
    ("far", {"threshold": 0.5}), ("frr", {"threshold": 0.5}), ("f1", {"alpha": 0.4}),
    ("precision", {"frr": 0.1}), ("youden", {"tpr": 0.9}), ("mutual-information", {"at": "eer"}),
    ("eer", {}), ("threshold", {"at": "eer"}), ("min-hter", {}), ("min-dcf", {}),
    ("max-f1", {}), ("max-youden", {}), ("break-even", {}), ("weighted-error", {"alpha": 0.4}),
    ("threshold", {"alpha": 0.4}), ("threshold", {"far": 0.1}), ("threshold", {"frr": 0.1}),
    ("ks", {}), ("h-measure", {}), ("average-precision", {}), ("d-prime", {}),
    ("far", {"at": "crossing"}), ("threshold", {"at": "crossing"}), ("exponent-at-zero", {}),
    ("exponent-at-one", {}), ("coefficient-at-zero", {}), ("coefficient-at-one", {}),
    ("client-a", {}), ("impostor-b", {}), ("client-mean", {}), ("impostor-var", {})]  # fmt: skip

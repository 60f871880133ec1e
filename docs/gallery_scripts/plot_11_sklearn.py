"""
Displays of scikit-learn
========================

ROC, DET and expected performance curve of a classifier, each in one call.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from betaroc.sklearn import DetDisplay, EpcDisplay, RocDisplay

X, y = load_breast_cancer(return_X_y=True)
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:200, :4], y[:200])
display = RocDisplay.from_estimator(model, X[200:, :4], y[200:])

# %%
# On normal scales:
display = DetDisplay.from_estimator(model, X[200:, :4], y[200:])

# %%
# Thresholds from one half, errors on the other:
display = EpcDisplay.from_estimator(model, X[200:380, :4], y[200:380], X[380:, :4], y[380:])

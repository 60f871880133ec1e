"""
Low rates on a log scale
========================

Where few impostors are accepted, a linear axis shows nothing. The words are those of
comparisons that were made.
"""

import betaroc as br

test = br.datasets.load_verification().test
ax = br.fit(test, "empirical").model.roc().plot(scale="log", terms="matching")

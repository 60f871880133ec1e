"""Second computation of rates, quantiles and areas of beta pairs; prints what disagrees most."""

import math
import random

import flint
from _laws import LEVELS, Beta, quantile
from flint import arb
from mpmath import mp, mpf


def note(worst, name, error, where):
    error = float(abs(error))
    if name not in worst or not error <= worst[name][0]:
        worst[name] = (error, str(where))


def arb_tail(a, b, y, lower):
    at = y if lower else -y
    first, second = (arb(a), arb(b)) if lower else (arb(b), arb(a))
    return (1 / (1 + (-at).exp())).beta_lower(first, second, regularized=True)


def arb_log_tail(a, b, y, lower):
    """log F or log S at logit y by arb's regularized incomplete beta, with a proven radius."""
    other = (float(y) > math.log(a / b)) == lower
    for prec in (256, 1024, 4096):
        flint.ctx.prec = prec
        tail = arb_tail(a, b, arb(y), lower != other)
        if tail > 0 and tail < 1:
            value = (-tail).log1p() if other else tail.log()
            if value.rad() < arb("1e-32") * abs(value):
                return mpf(value.mid().str(45, radius=False))
    return None


def check_law(worst, shapes, table, levels):
    skipped = 0
    a, b = shapes
    law = Beta(a, b)
    for y, low, high, _ in table["rows"]:
        for value, lower in ((low, True), (high, False)):
            exact = arb_log_tail(a, b, y, lower)
            if exact is None:
                skipped += 1
            else:
                note(worst, "distribution rows (arb)", exact / mpf(value) - 1, (a, b, y, lower))
    for name, lower in (("ppf", True), ("isf", False)):
        for p, y in zip(levels, table[name], strict=True):
            exact = arb_log_tail(a, b, y, lower)
            if exact is None:
                skipped += 1
                continue
            hazard = mp.exp(law.logf(mpf(y)) - exact)
            shift = (exact - mp.log(mpf(p))) / hazard
            note(worst, "inverses (arb)", shift / max(abs(mpf(y)), mpf(1)), (a, b, p, name))
    return skipped


def check_points(worst, row):
    """Rates at the reported thresholds by arb. The printed threshold has 22 digits, so a rate
    moves by its relative slope times 1e-22 |y|: errors are in units of max(1, |y| slope)."""
    (a1, b1), (a2, b2) = row["client"], row["impostor"]
    c, i = Beta(a1, b1), Beta(a2, b2)
    name = (a1, b1, a2, b2)

    def compare(what, law, y, lower, expected, more=""):
        got = arb_log_tail(float(law.a), float(law.b), y, lower)
        if got is None:
            note(worst, what + " (not enclosed by arb)", 0, name)
            return
        steep = mp.exp(law.logf(mpf(y)) - got) * max(abs(mpf(y)), mpf(1))
        error = (mpf(got) - expected) / max(steep, abs(expected), mpf(1))
        note(worst, what, error, (name, more))

    for target in row["far_targets"]:
        y, far = target["logit"], target["far"]
        compare("FAR targets (arb)", i, y, False, mp.log(mpf(far)), far)
        compare("TPR at FAR targets (arb)", c, y, False, mpf(target["log_tpr"]), far)
    value = mp.log(mpf(row["eer"]["value"]))
    compare("EER (arb)", c, row["eer"]["logit"], True, value)
    compare("EER (arb)", i, row["eer"]["logit"], False, value)
    value = mp.log(mpf(row["break_even"]["value"]))
    compare("break-even (arb)", c, row["break_even"]["logit"], False, value)
    if row["crossing"]:
        y, miss, rate = (row["crossing"][k] for k in ("logit", "log_miss", "log_rate"))
        for law in (c, i):
            compare("crossing (arb)", law, y, True, mpf(miss))
            compare("crossing (arb)", law, y, False, mpf(rate))


def by_far(c, i, low, high):
    """Partial area as the integral of TPR over FAR itself, thresholds by the quantile; in units of
    the last TPR, since mpmath's quad stops on absolute errors."""

    def tpr(far):
        return c.tails(quantile(i, far, False))[1]

    last, span = tpr(mpf(high)), mpf(high) - mpf(low)
    cuts = [mpf(low), high - span / 16, high - span / 256, mpf(high)]
    return last * mp.quad(lambda far: tpr(far) / last, cuts)


def by_recall(c, i, prior):
    """Average precision as the integral of precision over recall itself."""
    kappa = (1 - mpf(prior)) / mpf(prior)

    def precision(recall):
        y = quantile(c, recall, False)
        return 1 / (1 + kappa * i.tails(y)[1] / recall)

    return mp.quad(precision, [0, mpf(1) / 2, 1])


def check_curve(worst, row):
    c, i = Beta(*row["client"]), Beta(*row["impostor"])
    name = (*row["client"], *row["impostor"])
    mp.dps = 50

    for low, high, value in row["partial_auc"]:
        note(worst, "partial AUC (over FAR)", by_far(c, i, low, high) / mpf(value) - 1, name)
    for prior, value in row["average_precision"]:
        error = by_recall(c, i, prior) / mpf(value) - 1
        note(worst, "average precision (over recall)", error, name)


def check(document):
    worst, skipped = {}, 0
    for row in (row for key in ("pairs", "hard", "table1", "wide") for row in document[key]):
        skipped += check_law(worst, row["client"], row["client_law"], LEVELS)
        skipped += check_law(worst, row["impostor"], row["impostor_law"], LEVELS)
        check_points(worst, row)
    for cell in document["nan_cells"]:
        exact = arb_log_tail(cell["a"], cell["b"], cell["logit"], cell["tail"] == "lower")
        note(worst, "nan cells (arb)", exact / mp.log(mpf(cell["p"])) - 1, cell)
    print("incomplete beta values done", flush=True)
    for row in random.Random(5).sample(document["pairs"], 20):
        check_curve(worst, row)
    print(f"python-flint {flint.__version__}; {skipped} incomplete-beta values arb did not enclose")
    for name, (error, where) in sorted(worst.items()):
        print(f"{name:45s} {error:.1e}   {where}")
    return 0

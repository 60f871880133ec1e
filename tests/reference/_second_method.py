"""Second computation of the values in pairs.json by other means; prints the worst disagreements."""

import math
import random

import flint
from _laws import LEVELS, Beta, Inflated, Normal, in_pieces, quantile
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


def other_area(c, i):
    """AUC over the wider law's density, in pieces cut at the knees."""
    wide, narrow, lower = (c, i, True) if c.sd_y() > i.sd_y() else (i, c, False)
    log_g = lambda y: wide.logf(y) + mp.log(narrow.tails(y)[0 if lower else 1])  # noqa: E731
    left = min(quantile(law, 1e-300, True) for law in (c, i))
    right = max(quantile(law, 1e-300, False) for law in (c, i))
    cuts = [law.mean_y() + k * law.sd_y() for law in (c, i) for k in (-6, -2, 0, 2, 6)]
    return in_pieces(log_g, [*cuts, c.mode(), i.mode()], left, right, 22)


def check_curve(worst, row):
    c, i = Beta(*row["client"]), Beta(*row["impostor"])
    name = (*row["client"], *row["impostor"])
    mp.dps = 50
    note(worst, "AUC (other density)", other_area(c, i) / mpf(row["auc"]) - 1, name)
    for low, high, value in row["partial_auc"]:
        note(worst, "partial AUC (over FAR)", by_far(c, i, low, high) / mpf(value) - 1, name)
    for prior, value in row["average_precision"]:
        error = by_recall(c, i, prior) / mpf(value) - 1
        note(worst, "average precision (over recall)", error, name)


def position(entry):
    return mpf(entry["logit" if "logit" in entry else "threshold"])


def grid(c, i, count):
    """Thresholds from both laws' quantiles and a plain mesh."""
    levels = [mpf(10) ** (-k / mpf(2)) / 2 for k in range(0, 40, 2)]
    points = [quantile(law, p, lower) for law in (c, i) for p in levels for lower in (True, False)]
    low, high = min(points), max(points)
    return points + [low + (high - low) * k / count for k in range(count + 1)]


def check_optima(worst, row, c, i, points):
    """No threshold of a grid beats a reported optimum; reported places attain their values."""
    name = (row["client"], row["impostor"])
    rates = [(i.tails(y)[1], c.tails(y)[0], c.tails(y)[1]) for y in points]
    for entry in row["weighted"]:
        w, value = mpf(entry["alpha"]), mpf(entry["value"])
        beaten = max(0, max(1 - (w * far + (1 - w) * frr) / value for far, frr, _ in rates))
        note(worst, "weighted minimum beaten by", beaten, (name, entry["alpha"]))
        if "logit" in entry or "threshold" in entry:
            y = position(entry)
            attained = w * i.tails(y)[1] + (1 - w) * c.tails(y)[0]
            note(worst, "weighted minimum attained", attained / value - 1, (name, entry["alpha"]))
    largest = max(abs(1 - frr - far) for far, frr, _ in rates)
    note(worst, "KS beaten by", max(0, largest - mpf(row["ks"]["value"])), name)
    for entry in row.get("max_f", ()):
        w, prior, value = mpf(entry["weight"]), mpf(entry["prior"]), mpf(entry["value"])
        kappa = (1 - prior) / prior
        scores = [tpr / (1 - w + w * tpr + w * kappa * far) for far, _, tpr in rates]
        note(worst, "max F beaten by", max(0, max(scores) / value - 1), (name, entry["weight"]))
    y = position(row["eer"])
    for rate in (i.tails(y)[1], c.tails(y)[0]):
        note(worst, "EER attained", rate / mpf(row["eer"]["value"]) - 1, name)


def check_ends(worst, row):
    """The power laws hold far out: log F_i - exponent log F_c tends to the log coefficient."""
    c, i = Beta(*row["client"]), Beta(*row["impostor"])
    for key, y, side in (("at_zero", mpf(-80), 0), ("at_one", mpf(80), 1)):
        end = row["ends"][key]
        left = mp.log(i.tails(y)[side]) - mpf(end["exponent"]) * mp.log(c.tails(y)[side])
        scale = max(1, abs(mpf(end["log_coefficient"])), abs(mp.log(c.tails(y)[side])))
        if max(c.a, c.b, i.a, i.b) < 1e3 and min(c.a, c.b, i.a, i.b) > 0.05:
            error = (left - mpf(end["log_coefficient"])) / scale
            note(worst, "end coefficient", error, row["client"])


def normal_cdf(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def check_binormal(worst, row):
    """The closed forms of the binormal model."""
    m1, s1, m2, s2 = (mpf(v) for v in (*row["client"][1:], *row["impostor"][1:]))
    name = (row["client"], row["impostor"])
    auc = normal_cdf((m1 - m2) / mp.sqrt(s1**2 + s2**2))
    miss = normal_cdf((m2 - m1) / mp.sqrt(s1**2 + s2**2))
    note(worst, "binormal AUC (closed form)", auc / mpf(row["auc"]) - 1, name)
    note(worst, "binormal 1-AUC (closed form)", miss / mpf(row["one_minus_auc"]) - 1, name)
    eer = normal_cdf((m2 - m1) / (s1 + s2))
    note(worst, "binormal EER (closed form)", eer / mpf(row["eer"]["value"]) - 1, name)
    c, i = Normal(*row["client"][1:]), Normal(*row["impostor"][1:])
    check_optima(worst, row, c, i, grid(c, i, 400))


def theta_law(kind, first, second):
    """Density in theta, as a function of theta and 1 - theta, and distribution function."""
    p, q = mpf(first), mpf(second)
    if kind == "beta":
        return (
            lambda x, w: x ** (p - 1) * w ** (q - 1) / mp.beta(p, q),
            lambda x: mp.betainc(p, q, 0, x, regularized=True),
        )
    if kind == "normal":
        return lambda x, w: mp.npdf(x, p, q), lambda x: mp.ncdf(x, p, q)
    return (
        lambda x, w: mp.npdf(mp.log(x / w), p, q) / (x * w),
        lambda x: mp.ncdf(mp.log(x / (1 - x)), p, q) if 0 < x < 1 else mpf(x),
    )


def over_unit(g):
    """Tanh-sinh over theta in (0, 1/2) and over 1 - theta in (0, 1/2)."""
    cuts = [0, mpf(1) / 10, mpf(1) / 4, mpf(1) / 2]
    return mp.quad(lambda x: g(x, 1 - x), cuts) + mp.quad(lambda w: g(1 - w, w), cuts)


def check_mixed(worst, row):
    """The AUC, EER and weighted minima in theta, by tanh-sinh on (0, 1) and a mesh."""
    mp.dps = 40
    name = (row["client"], row["impostor"])
    density_c, cdf_c = theta_law(*row["client"])
    density_i, cdf_i = theta_law(*row["impostor"])
    if row["client"][0] == "normal":
        auc = over_unit(lambda x, w: density_i(x, w) * (1 - cdf_c(x)))
    else:
        auc = over_unit(lambda x, w: density_c(x, w) * cdf_i(x))
    note(worst, "mixed AUC (in theta)", auc / mpf(row["auc"]) - 1, name)
    x = mpf(row["eer"]["theta"])
    for rate in (cdf_c(x), 1 - cdf_i(x)):
        note(worst, "mixed EER (in theta)", rate / mpf(row["eer"]["value"]) - 1, name)
    mesh = [mpf(k) / 2000 for k in range(1, 2000)]
    mesh += [mpf(10) ** -k for k in range(4, 25)] + [1 - mpf(10) ** -k for k in range(4, 25)]
    rates = [(1 - cdf_i(t), cdf_c(t)) for t in mesh] + [(mpf(1), mpf(0)), (mpf(0), mpf(1))]
    for entry in row["weighted"]:
        w, value = mpf(entry["alpha"]), mpf(entry["value"])
        least, where = min(w * far + (1 - w) * frr for far, frr in rates), (name, entry["alpha"])
        note(worst, "mixed weighted minimum beaten by", max(0, 1 - least / value), where)
        note(worst, "mixed weighted minimum above the mesh's", max(0, least / value - 1), where)
    largest = max(abs(1 - far - frr) for far, frr in rates)
    note(worst, "mixed KS against the mesh", largest / mpf(row["ks"]["value"]) - 1, name)


def check_inflated(worst, row):
    """The area under the polyline-and-curve ROC: two trapezoids and the curve between."""
    c, i = Inflated(**row["client"]), Inflated(**row["impostor"])
    ends = (quantile(i.base, 1e-40, lower) for lower in (True, False))
    cuts = [c.mode(), i.mode()]
    tail = in_pieces(lambda y: i.logf(y) + mp.log(c.tails(y)[1]), cuts, *ends, 20)
    auc = i.at_one * c.at_one / 2 + tail + i.at_zero * (2 - c.at_zero) / 2
    note(worst, "inflated AUC (area of the curve)", auc / mpf(row["auc"]) - 1, row["client"])
    points = [mpf(k) / 8 for k in range(-800, 801)]
    check_optima(worst, row, c, i, points)


def check(document):
    rng = random.Random(5)
    beta_rows = [r for key in ("pairs", "hard", "table1", "wide") for r in document.get(key, ())]
    worst = {}
    skipped = 0
    for row in beta_rows:
        skipped += check_law(worst, row["client"], row["client_law"], LEVELS)
        skipped += check_law(worst, row["impostor"], row["impostor_law"], LEVELS)
        check_points(worst, row)
    for cell in document.get("nan_cells", ()):
        exact = arb_log_tail(cell["a"], cell["b"], cell["logit"], cell["tail"] == "lower")
        note(worst, "nan cells (arb)", exact / mp.log(mpf(cell["p"])) - 1, cell)
    print("incomplete beta values done", flush=True)
    for row in rng.sample(beta_rows, 40):
        c, i = Beta(*row["client"]), Beta(*row["impostor"])
        check_optima(worst, row, c, i, grid(c, i, 200))
        check_ends(worst, row)
    print("optima done", flush=True)
    for row in rng.sample(document["pairs"], 20):
        check_curve(worst, row)
    print("areas done", flush=True)
    mp.dps = 60
    for row in document.get("binormal", ()):
        check_binormal(worst, row)
    for row in document.get("inflated", ()):
        check_inflated(worst, row)
    for row in document.get("mixed", ()):
        check_mixed(worst, row)
    print(f"python-flint {flint.__version__}; {skipped} incomplete-beta values arb did not enclose")
    for name, (error, where) in sorted(worst.items()):
        print(f"{name:45s} {error:.1e}   {where}")
    return 0

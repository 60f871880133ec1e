"""Forecasts of the error of a threshold: ``python tests/reference/make_forecast.py``.

mpmath at 40 digits. Chernoff's distribution: Z = argmax(W(u) - u^2) has the density
g(t) g(-t) / 2, where g has the Fourier transform 2^(1/3) / Ai(i 2^(-1/3) lambda)
(Groeneboom 1989; Groeneboom and Wellner 2001). By Parseval's theorem

    1     = 1/(2 pi) int dv / Ai(iv)^2
    E Z^2 = -2^(1/3)/(4 pi) int Ai'(iv)^2 / Ai(iv)^4 dv

The first is stored as a check. For pairs of laws the threshold is the root of C', C the criterion;
C'' and the threshold's derivative in each parameter are numerical.
"""

import json
from pathlib import Path

import mpmath as mp

mp.mp.dps = 40
#: Client, impostor, alpha, n_client, n_impostor, start of the root search.
CASES = [
    (("beta", 4.0, 2.0), ("beta", 2.0, 4.0), 0.5, 200, 200, 0.5),
    (("beta", 4.0, 2.0), ("beta", 2.0, 4.0), 0.1, 200, 1000, 0.25),
    (("beta", 3.27, 0.67), ("beta", 0.47, 1.36), 0.75, 60, 240, 0.6),
    (("beta", 6.0, 3.0), ("beta", 0.5, 5.0), 0.9, 1000, 30, 0.4),
    (("normal", 1.0, 1.0), ("normal", -1.0, 1.3), 0.3, 150, 300, 0.0),
    (("normal", 50.0, 3.0), ("normal", 40.0, 4.0), 0.8, 80, 500, 46.0),
    (("logit-normal", 1.0, 0.8), ("logit-normal", -1.0, 1.1), 0.6, 100, 90, 0.55),
]


def log_density(law, x):
    family, first, second = law
    if family == "beta":
        body = (first - 1) * mp.log(x) + (second - 1) * mp.log(1 - x)
        return body - mp.log(mp.beta(first, second))
    jacobian = mp.mpf(0)
    if family == "logit-normal":
        jacobian = -mp.log(x) - mp.log(1 - x)
        x = mp.log(x) - mp.log(1 - x)
    z = (x - first) / second
    return jacobian - z**2 / 2 - mp.log(second) - mp.log(2 * mp.pi) / 2


def covariance(law):
    """Inverse expected information of one score."""
    family, first, second = law
    if family != "beta":
        return mp.matrix([[second**2, 0], [0, mp.mpf(second) ** 2 / 2]])
    both = mp.polygamma(1, mp.mpf(first) + second)
    information = [[mp.polygamma(1, first) - both, -both], [-both, mp.polygamma(1, second) - both]]
    return mp.matrix(information) ** -1


def slope_of_criterion(client, impostor, alpha):
    def at(x):
        f_c, f_i = mp.e ** log_density(client, x), mp.e ** log_density(impostor, x)
        return (1 - alpha) * f_c - alpha * f_i

    return at


def threshold(client, impostor, alpha, start):
    return mp.findroot(slope_of_criterion(client, impostor, alpha), start)


def gradient(laws, which, alpha, at):
    """Derivatives of the threshold in the two parameters of one law."""
    found = []
    for k in (1, 2):

        def moved(step, k=k):
            law = list(laws[which])
            law[k] = mp.mpf(law[k]) + step
            pair = [tuple(law) if n == which else other for n, other in enumerate(laws)]
            return threshold(pair[0], pair[1], alpha, at)

        h = mp.mpf(10) ** -7
        one, two = ((moved(s) - moved(-s)) / (2 * s) for s in (h, 2 * h))
        found.append((4 * one - two) / 3)
    return mp.matrix(found)


def forecast(client, impostor, weight, n_client, n_impostor, start):
    alpha = mp.mpf(str(weight))
    at = threshold(client, impostor, alpha, mp.mpf(start))
    slope = slope_of_criterion(client, impostor, alpha)
    curvature = mp.diff(slope, at)
    f_c, f_i = mp.e ** log_density(client, at), mp.e ** log_density(impostor, at)
    variance = mp.mpf(0)
    for which, n in enumerate((n_client, n_impostor)):
        g = gradient([client, impostor], which, alpha, at)
        variance += (g.T * covariance((client, impostor)[which]) * g)[0] / n
    s = mp.sqrt(alpha**2 * f_i / n_impostor + (1 - alpha) ** 2 * f_c / n_client)
    k = (2 * s / curvature) ** (mp.mpf(2) / 3)
    empirical = k * mp.sqrt(variance_of_chernoff())
    hter = abs(f_c - f_i) / 2
    values = {
        "threshold": at,
        "smooth_sd": mp.sqrt(variance),
        "smooth_excess": curvature * variance / 2,
        "smooth_hter_sd": hter * mp.sqrt(variance),
        "empirical_sd": empirical,
        "empirical_excess": curvature * empirical**2 / 2,
        "empirical_hter_sd": hter * empirical,
        "optimism": 3 * variance_of_chernoff() * s * mp.sqrt(k),
    }
    return {name: mp.nstr(value, 20) for name, value in values.items()}


def along_imaginary_axis(integrand):
    """int integrand(Ai(iv), Ai'(iv)) dv; beyond 30 it is below 1e-60."""

    def at(v):
        z = mp.mpc(0, v)
        return mp.re(integrand(mp.airyai(z), mp.airyai(z, derivative=1)))

    return mp.quad(at, list(range(-30, 31, 2)))


@mp.memoize
def variance_of_chernoff():
    integral = along_imaginary_axis(lambda ai, slope: slope**2 / ai**4)
    return -mp.cbrt(2) / (4 * mp.pi) * integral


def main():
    total = along_imaginary_axis(lambda ai, _: 1 / ai**2) / (2 * mp.pi)
    cases = [
        {
            "client": client, "impostor": impostor, "alpha": alpha, "n_client": n_client,
            "n_impostor": n_impostor,
            **forecast(client, impostor, alpha, n_client, n_impostor, start),
        }
        for client, impostor, alpha, n_client, n_impostor, start in CASES
    ]  # fmt: skip
    found = {
        "made_with": f"mpmath {mp.__version__}",
        "total_probability": mp.nstr(total, 20),
        "chernoff_variance": mp.nstr(variance_of_chernoff(), 20),
        "cases": cases,
    }
    target = Path(__file__).with_name("forecast.json")
    target.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Numbers and names as text."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

from betaroc.core.vocabulary import ACCEPT, REJECT, TRIAL, TRIALS, is_slot, template_of

#: Shares below this, in per cent, are written with a power of ten.
_TINY = 1e-5


def number(value: float, digits: int = 6) -> str:
    """A number with that many significant digits."""
    return "undefined" if math.isnan(value) else f"{value:.{digits}g}"


def counted(n: int, noun: str) -> str:
    """A count and its noun."""
    return f"{n} {noun}" if n == 1 else f"{n} {TRIALS if noun == TRIAL else noun + 's'}"


def extreme(value: float, digits: int = 5) -> str:
    """A number, near 1 what it lacks of it."""
    text = number(value, digits)
    if value != 1.0 and text == "1":
        return f"1 {'-' if value < 1.0 else '+'} {abs(1.0 - value):.2g}"
    return text


def percent(rate: float) -> str:
    """A rate in per cent with three digits, near 100 % more."""
    if math.isnan(rate):
        return "undefined"
    missing = 100.0 * (1.0 - rate)
    if 0.0 < missing < 1.0:
        places = 1 - math.floor(math.log10(missing))
        return f"{100.0 - missing:.{places}f} %" if places < 12 else "100 %"
    return f"{100.0 * rate:.3g} %"


def rate(value: float, *, unit: bool = True, up: bool = False) -> str:
    """A rate in per cent, two digits from the nearer end; `up` of a bound."""
    share = 100.0 * value
    near = min(share, 100.0 - share)
    if math.isnan(share):
        return "undefined"
    if near <= 0.0:
        text = f"{share:.0f}"
    elif share < _TINY:
        rounding = ROUND_CEILING if up else ROUND_HALF_EVEN
        text = f"{Context(prec=2, rounding=rounding).create_decimal_from_float(share):.1e}"
    else:
        lead = math.floor(math.log10(float(f"{near:.1e}")))
        places = max((1 if share <= 50.0 else 0) - lead, 0)
        text = f"{share:.{places}f}"
        if up:
            text = str(Decimal(repr(share)).quantize(Decimal(1).scaleb(-places), ROUND_CEILING))
    return f"{text} %" if unit else text


def rate_span(low: float, high: float) -> str:
    """Both ends, with the unit once."""
    return f"{rate(low, unit=False)} to {rate(high)}"


def spaced(n: float) -> str:
    """A whole number with spaces between thousands."""
    if n >= 10**15:
        return f"{Decimal(n):.3g}"
    text = f"{round(n):d}"
    return f"{round(n):,d}".replace(",", " ") if len(text) > 4 else text


def rounded(threshold: float, *, up: bool, digits: int = 4, lower: bool = False) -> str:
    """A threshold, rounded so that the target holds; of `lower` scores that of -s."""
    if not math.isfinite(threshold):
        return f"{ACCEPT if threshold < 0.0 else REJECT} all"
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    result = context.create_decimal(Decimal(threshold))
    result = -result if lower else result
    return format(result, "f" if 1e-4 <= abs(result) < 1e6 or not result else "e")


def with_minus(text: str) -> str:
    """A number with a minus sign."""
    return text.replace("-", "\N{MINUS SIGN}") if text[:1] == "-" else text


def level_words(level: float) -> str:
    """A confidence level in per cent."""
    return f"{100.0 * level:.10g} %"


def threshold(theta: float, logit: float, digits: int = 6, *, lower: bool = False) -> str:
    """A threshold, with its logit near 0 and 1."""
    if theta == (math.inf if lower else -math.inf):
        return f"{ACCEPT} all"
    if math.isfinite(logit) and not 1e-3 <= theta <= 0.999:
        return f"{theta:.{digits}g} (logit {logit:.5g})"
    return f"{theta:.{digits}g}"


def read_as(form: str, guessed: str | None = None, guesses: Sequence[str] = ()) -> str:
    """The format of a file, and who is a client."""
    if guesses:
        form += f", guessed: {visible(', '.join(guesses))}"
    if form.startswith(("4col", "5col")):
        return f"{form}: clients are the rows with equal claimed and real identity"
    return form + (
        "" if guessed is None else f'; label "{visible(guessed)}" taken for the client\'s'
    )


def version() -> str:
    """The version of the package."""
    return str(sys.modules["betaroc"].__version__)


def visible(text: str) -> str:
    """The text with code points of what does not print."""

    def code(point: int) -> str:
        letter, digits = ("x", 2) if point < 256 else ("u", 4) if point < 65536 else ("U", 8)
        return f"\\{letter}{point:0{digits}x}"

    template = template_of(text)
    return "".join(c if c.isprintable() or is_slot(c) else code(ord(c)) for c in template)


def name_shown(name: str, width: int = 40) -> str:
    """A foreign name on one line, cut in the middle."""
    text = visible(name)
    if len(text) > width:
        text = f"{text[: width // 2]}…{text[-(width - width // 2 - 1) :]}"
    return text if text.isascii() else f"\u2068{text}\u2069"

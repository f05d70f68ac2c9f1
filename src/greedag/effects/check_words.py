"""What a check of a model found, in sentences with remedies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from greedag.drawing.labels import amount, count, in_words, printable
from greedag.effects.check_records import Misfit, ModelCheck, p_text
from greedag.errors import counted_rows

_MOST_NAMED = 6
_KINDS = {
    "markov": "independence given the parents",
    "deviance": "the deviance",
    "linearity": "linear effects",
    "normality": "normal noise",
    "spread": "constant spread",
}
_IF_HIDDEN = (
    "Add that column if it was measured; without it, do not read edges among these as causal."
)
_OPTIMISTIC = (
    "These are the rows that the graph was learned from, so that it fits them better than others; "
    "pass other rows as data=."
)


def sentences(check: ModelCheck) -> Iterator[str]:
    """Give what a check found: the verdict, what was tested, and each misfit with its remedy."""
    yield verdict(check)
    yield from figures(check)
    for misfit in shown_misfits(check):
        yield f"{misfit.text} {misfit.remedy}"
    more = len(check.misfits) - len(shown_misfits(check))
    if more:
        yield f"{count(more, 'more finding')}: .misfits lists all."
    yield from reservations(check)


def verdict(check: ModelCheck) -> str:
    """Say whether the model fits."""
    rows = f"{counted_rows(check.n)} rows"
    if check.passed:
        return f"The model fits these {rows}: no test fails (level {100 * check.level:g} % in all)."
    failed = [_KINDS[kind.name] for kind in check.kinds if not kind.passed]
    return f"The model does not fit these {rows}: it fails the tests of {in_words(failed)}."


def figures(check: ModelCheck) -> Iterator[str]:
    """Give the figures of the Markov tests and of the deviance."""
    if check.share_below is not None:
        yield (
            f"{100 * check.share_below:.1f} % of {count(len(check.tests), 'Markov test')} have a "
            "p-value below 5 %; chance gives 5 %. That all are uniform has a p-value of "
            f"{p_text(check.uniformity)}."
        )
    if check.deviance is not None:
        yield (
            f"The deviance is {check.deviance:.1f} with {check.freedom} degrees of freedom "
            f"(p-value {p_text(check.p_value)})."
        )


def reservations(check: ModelCheck) -> Iterator[str]:
    """Give what the check cannot say."""
    if check.not_done:
        yield f"Linear effects, normal noise and constant spread were not tested: {check.not_done}."
    if not check.is_held_out:
        yield _OPTIMISTIC


def shown_misfits(check: ModelCheck) -> tuple[Misfit, ...]:
    """Return the first few misfits of each kind."""
    seen: dict[str, int] = {}
    found = []
    for misfit in check.misfits:
        seen[misfit.kind] = seen.get(misfit.kind, 0) + 1
        if seen[misfit.kind] <= _MOST_NAMED:
            found.append(misfit)
    return tuple(found)


def missing_edge(column: str, other: str, correlation: float, p_value: float) -> Misfit:
    """Say that two columns depend on each other beyond what the graph says."""
    a, b = printable(column), printable(other)
    size = "" if math.isnan(correlation) else f" (partial correlation {correlation:+.2f})"
    return Misfit(
        "missing edge",
        (other, column),
        p_value,
        f"{a} depends on {b} beyond its parents{size}: an edge may be missing.",
        "Learn from more rows or with a smaller alpha, and look for knowledge that forbids it.",
    )


def hidden_cause(names: Sequence[str], p_value: float) -> Misfit:
    """Say that tests fail as if columns shared a cause that is not among the columns."""
    among = in_words([printable(name) for name in names], _MOST_NAMED)
    text = (
        f"{among} depend on each other beyond the graph, and one hidden cause of them explains "
        "that better than edges would."
    )
    return Misfit("hidden cause", tuple(names), p_value, text, _IF_HIDDEN)


def sign_of_cause(names: Sequence[str]) -> Misfit:
    """Say that columns, all adjacent, vary as if by one factor."""
    among = in_words([printable(name) for name in names], _MOST_NAMED)
    text = (
        f"{among} are all adjacent, and vary as if by one factor (tetrads vanish): they may share "
        "a hidden cause."
    )
    return Misfit("hidden cause", tuple(names), 1.0, text, _IF_HIDDEN, is_failure=False)


def bend(parent: str, child: str, gain: float, p_value: float) -> Misfit:
    """Say that an effect is no straight line."""
    x, y = printable(parent), printable(child)
    worth = f"it gains {amount(gain)} points on a line" if gain > 0 else "but it hardly bends"
    return Misfit(
        "curve",
        (parent, child),
        p_value,
        f"{y} depends on {x} by a curve: {worth}.",
        "Learn with score='additive', which fits curves, or transform the columns.",
    )


def tails(column: str, kurtosis: float, p_value: float) -> Misfit:
    """Say that noise has other tails than the normal distribution."""
    kind = "heavy tails" if kurtosis > 3.0 else "light tails"
    remedy = (
        "Standard errors and alpha are less sure; look at the largest values, or transform the "
        "column (transform='normal-scores')."
        if kurtosis > 3.0
        else "The column may be bounded or a mixture; transform it, or split the rows."
    )
    return Misfit(
        kind,
        (column,),
        p_value,
        f"The residuals of {printable(column)} have {kind} (kurtosis {kurtosis:.1f}, not 3).",
        remedy,
    )


def skewness(column: str, value: float, p_value: float) -> Misfit:
    """Say that noise is skewed."""
    # A logarithm makes a long tail to the left longer still.
    how = "its logarithm (transform='log')" if value > 0.0 else "its square or its normal scores"
    return Misfit(
        "skewness",
        (column,),
        p_value,
        f"The residuals of {printable(column)} are skewed (skewness {value:+.2f}, not 0).",
        f"Transform the column, for example by {how}.",
    )


def changing_spread(column: str, by: str, p_value: float) -> Misfit:
    """Say that the spread of noise changes with a column."""
    y, x = printable(column), printable(by)
    return Misfit(
        "changing spread",
        (by, column),
        p_value,
        f"The spread of the residuals of {y} changes with {x}.",
        f"Transform {y}, for example by its logarithm; otherwise its standard errors are off.",
    )


def dependence(column: str, p_value: float) -> Misfit:
    """Say that a column depends on earlier ones, though on none clearly."""
    whole = not column
    what = "Columns depend" if whole else f"{printable(column)} depends"
    return Misfit(
        "dependence",
        () if whole else (column,),
        p_value,
        f"{what} on earlier columns beyond the parents, though no single one stands out.",
        "Weak edges may be missing: learn from more rows or with a smaller alpha.",
    )

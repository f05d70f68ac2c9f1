"""What a check of a model found, as records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from greedag.drawing.labels import amount, cell_width, labels, padded
from greedag.errors import DataError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAME_CELLS = 32
_MOST_LINES = 40
_HEADS = ("column", "tests", "below 5 %", "uniform", "deviance", "freedom", "p-value", "kurtosis")


@dataclass(frozen=True, slots=True)
class MarkovTest:
    """Whether a column is independent of an earlier one, given its parents.

    Attributes
    ----------
    column, other : str
        The column, and one before it in the order that is not its parent.
    given : tuple of str
        The parents of the column.
    correlation : float
        Partial correlation; nan for discrete columns.
    p_value : float
        Of independence.
    """

    column: str
    other: str
    given: tuple[str, ...]
    correlation: float
    p_value: float


@dataclass(frozen=True, slots=True)
class CurveTest:
    """Whether the effect of one column on another bends.

    Attributes
    ----------
    parent, child : str
        The columns.
    is_edge : bool
        Whether the graph has an edge between them.
    gain : float
        What a curve in place of a line gains in log-likelihood, less log n for each of four curves.
    p_value : float
        Of a straight line.
    """

    parent: str
    child: str
    is_edge: bool
    gain: float
    p_value: float


@dataclass(frozen=True, slots=True)
class ColumnFit:
    """How well the model fits one column. What is not known is None.

    Attributes
    ----------
    column : str
    tests : int
        Markov tests of it against earlier columns.
    share_below : float or None
        Share of their p-values below 5 %, which is also what chance gives.
    uniformity : float or None
        P-value of the Kolmogorov-Smirnov test that these p-values are uniform. It takes them for
        independent, which they are only roughly.
    deviance : float or None
        Twice the log-likelihood that all earlier columns together explain beyond the parents, with
        Bartlett's correction; about χ² distributed.
    freedom : int
        Its degrees of freedom.
    p_value : float or None
        Of the deviance, by an F test.
    skewness, kurtosis : float or None
        Of what the parents leave of the column: 0 and 3 if that is normal.
    normality : float or None
        The smaller p-value of the two, times 2.
    spread : float or None
        P-value that the spread of what is left does not change with the parents.
    """

    column: str
    tests: int
    share_below: float | None
    uniformity: float | None
    deviance: float | None
    freedom: int
    p_value: float | None
    skewness: float | None = None
    kurtosis: float | None = None
    normality: float | None = None
    spread: float | None = None


@dataclass(frozen=True, slots=True)
class TestKind:
    """All tests of one kind, taken together.

    Attributes
    ----------
    name : str
        ``"markov"``, ``"deviance"``, ``"linearity"``, ``"normality"`` or ``"spread"``.
    tests : int
        Their number.
    p_value : float
        The smallest p-value times their number, at most 1.
    level : float
        Its part of the level of the whole check.
    """

    name: str
    tests: int
    p_value: float
    level: float

    @property
    def passed(self) -> bool:
        """Whether no test of the kind fails."""
        return self.p_value > self.level


@dataclass(frozen=True, slots=True)
class Misfit:
    """Something that does not fit, or a sign of something that the model leaves out.

    Attributes
    ----------
    kind : str
        ``"hidden cause"``, ``"missing edge"``, ``"curve"``, ``"heavy tails"``, ``"light tails"``,
        ``"skewness"``, ``"changing spread"`` or ``"dependence"``.
    columns : tuple of str
        The columns concerned.
    p_value : float
        Of the test that shows it, not corrected for the number of tests.
    text, remedy : str
        What it is, and what to do, a sentence each.
    is_failure : bool
        Whether a test failed; if not, it is only a sign.
    """

    kind: str
    columns: tuple[str, ...]
    p_value: float
    text: str
    remedy: str
    is_failure: bool = True


class FitTable(tuple[ColumnFit, ...]):
    """Columns, the worst fitted first: a tuple that is shown as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(_lines(self))

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import fragment

        return fragment(self.html())

    def html(self) -> list[str]:
        """Return the lines of a table for a notebook."""
        from greedag.drawing.fragments import Column, table

        first, *others = _HEADS
        columns = [Column(first, "name"), *(Column(head, "number") for head in others)]
        return table(columns, [(fit.column, *cells(fit)) for fit in self])


def cells(fit: ColumnFit) -> tuple[str, ...]:
    """Return what a table shows of a column, beside its name; nothing for what is not known."""
    share = "" if fit.share_below is None else f"{100.0 * fit.share_below:.0f} %"
    return (
        str(fit.tests),
        share,
        p_text(fit.uniformity),
        "" if fit.deviance is None else f"{fit.deviance:.1f}",
        str(fit.freedom),
        p_text(fit.p_value),
        "" if fit.kurtosis is None else amount(fit.kurtosis, 2),
    )


def p_text(p_value: float | None) -> str:
    """Return a p-value as shown."""
    if p_value is None:
        return ""
    return f"{p_value:.3f}" if p_value >= 0.001 else "<0.001"


def _lines(fits: FitTable) -> Iterator[str]:
    shown = fits[:_MOST_LINES]
    names = labels([fit.column for fit in shown], _NAME_CELLS, cell_width)
    rows = [(name, *cells(fit)) for name, fit in zip(names, shown, strict=True)]
    widths = [max(map(cell_width, column)) for column in zip(_HEADS, *rows, strict=True)]
    for name, *rest in (_HEADS, *rows):
        numbers = (f"{cell:>{wide}}" for cell, wide in zip(rest, widths[1:], strict=True))
        yield "  ".join([padded(name, widths[0]), *numbers]).rstrip()
    if len(fits) > len(shown):
        yield f"… and {len(fits) - len(shown)} more"


@dataclass(frozen=True, slots=True, repr=False)
class ModelCheck:
    """Whether a graph and its model fit the data. ``print`` of it gives plain sentences.

    Make one with :meth:`Result.check`.

    Attributes
    ----------
    names : tuple of str
        The columns, in the order of the DAG that was checked: parents before children.
    n : int or float
        Number of rows.
    level : float
        How often a true model fails, at most, on rows that it was not learned from.
    is_held_out : bool
        Whether these are other rows than the graph was learned from.
    tests : tuple of MarkovTest
        The smallest p-value first.
    curves : tuple of CurveTest
        The smallest p-value first; empty without rows.
    columns : tuple of ColumnFit
        In the order of `names`.
    deviance, freedom, p_value : float or None, int, float or None
        The sum of the columns' deviances, its degrees of freedom, and its p-value by χ².
    kinds : tuple of TestKind
        The tests that were done.
    misfits : tuple of Misfit
        What fails, what fails most clearly first, and then signs.
    not_done : str
        Why tests that need rows were not done; empty if they were.
    """

    names: tuple[str, ...]
    n: float
    level: float
    is_held_out: bool
    tests: tuple[MarkovTest, ...]
    curves: tuple[CurveTest, ...]
    columns: tuple[ColumnFit, ...]
    deviance: float | None
    freedom: int
    p_value: float | None
    kinds: tuple[TestKind, ...]
    misfits: tuple[Misfit, ...]
    not_done: str = ""

    @property
    def passed(self) -> bool:
        """Whether no kind of test fails."""
        return all(kind.passed for kind in self.kinds)

    @property
    def share_below(self) -> float | None:
        """Share of the Markov tests with a p-value below 5 %, which is also what chance gives."""
        below = [test.p_value < 0.05 for test in self.tests]
        return sum(below) / len(below) if below else None

    @property
    def uniformity(self) -> float | None:
        """P-value of the Kolmogorov-Smirnov test that the Markov tests' p-values are uniform."""
        from greedag.statistics.tails import uniformity

        return uniformity(self._p_values())[1] if self.tests else None

    def table(self) -> FitTable:
        """Return how well each column fits, the worst first.

        Returns
        -------
        FitTable
            A tuple of :class:`greedag.effects.check_records.ColumnFit`, shown as a table.
        """
        return FitTable(sorted(self.columns, key=_worst))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the p-values of the Markov tests against those expected, with matplotlib.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        DataError
            If every column is adjacent to all others, so that there are no tests.
        """
        from greedag.drawing.p_values import plot_p_values

        if not self.tests:
            raise DataError("there are no Markov tests to draw: every pair is adjacent")
        return plot_p_values(self._p_values(), ax)

    @property
    def svg(self) -> str:
        """The same as one ``<svg>`` element; empty if there are no tests."""
        from greedag.drawing.p_values import p_values_svg

        return p_values_svg(self._p_values()) if self.tests else ""

    def _p_values(self) -> list[float]:
        return [test.p_value for test in self.tests]

    def __str__(self) -> str:
        from greedag.effects.check_words import sentences

        return "\n".join(sentences(self))

    def __repr__(self) -> str:
        word = "passed" if self.passed else "failed"
        return f"<ModelCheck: {word}, {len(self.tests)} Markov tests, {len(self.misfits)} misfits>"

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import fragment, paragraph
        from greedag.effects.check_words import sentences

        parts = [paragraph(text) for text in sentences(self)]
        return fragment([*parts, self.svg, *self.table().html()])


def _worst(fit: ColumnFit) -> float:
    found = (fit.p_value, fit.normality, fit.spread)
    return min((p_value for p_value in found if p_value is not None), default=1.0)

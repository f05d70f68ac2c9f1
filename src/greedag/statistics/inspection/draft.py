"""An inspection on its way: what was found so far, and what is to be done about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from greedag.data.kinds import Kind, is_identifier
from greedag.data.markers import number_in
from greedag.data.source import MemorySource
from greedag.errors import all_listed
from greedag.statistics.inspection.finding import SEVERITIES, Finding, Severity
from greedag.statistics.inspection.profile import Profile
from greedag.statistics.mixed import are_too_many

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Given:
    """What a caller passes to `learn` in any case, which fixes must not contradict."""

    transform: Mapping[str, str] | str = field(default_factory=dict)
    missing: str = "error"
    takes: Kind | None = None
    """The kind that the score takes every column for."""
    na: Sequence[str | float] = ()

    @property
    def are_numbers(self) -> bool:
        """Whether all columns must be continuous."""
        return self.takes == "continuous" or self.missing == "em"

    def transforms(self, name: str) -> bool:
        """Whether the caller says how a continuous column is transformed."""
        return isinstance(self.transform, str) or name in self.transform


@dataclass(eq=False)
class Draft:
    """A table with a look at each of its columns, and the fixes that have been decided on."""

    source: MemorySource
    profiles: list[Profile]
    stated: dict[str, Kind]
    is_text: bool = False
    """Whether the table is out of a file of text."""
    lacking: frozenset[str] = frozenset()
    """Columns that lack values as they are, markers aside."""
    given: Given = field(default_factory=Given)
    findings: list[Finding] = field(default_factory=list)
    drop: dict[str, str] = field(default_factory=dict)
    """Columns to leave out, and why."""
    na: list[Any] = field(default_factory=list)
    kinds: dict[str, Kind] = field(default_factory=dict)
    transform: dict[str, str] = field(default_factory=dict)
    missing: str = ""

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.source.n

    def kept(self) -> list[Profile]:
        """Return the columns that are not left out."""
        return [profile for profile in self.profiles if profile.name not in self.drop]

    def kind(self, profile: Profile) -> Kind:
        """Return what a column is taken for."""
        judged: Kind = "continuous" if profile.holds == "numbers" else "discrete"
        return self.stated.get(profile.name) or self.kinds.get(profile.name, judged)

    def continuous(self) -> list[Profile]:
        """Return the columns of numbers that are kept and continuous."""
        return [p for p in self.kept() if p.holds == "numbers" and self.kind(p) == "continuous"]

    def discrete(self) -> list[Profile]:
        """Return the columns that are kept and discrete."""
        return [p for p in self.kept() if self.kind(p) == "discrete"]

    def is_refused(self, profile: Profile) -> bool:
        """Whether `learn` refuses the levels of a column, in the table as it is given."""
        if self._given_kind(profile) == "continuous":
            return False
        return is_identifier(profile.distinct, self.n) or (
            self.has_continuous and are_too_many(profile.distinct, self.n)
        )

    @property
    def has_continuous(self) -> bool:
        """Whether a column of the table as it is given is continuous, for which more is refused."""
        return any(self._given_kind(profile) == "continuous" for profile in self.profiles)

    def _given_kind(self, profile: Profile) -> Kind:
        numbers = profile.holds == "numbers"
        return self.stated.get(profile.name, "continuous" if numbers else "discrete")

    def is_misread(self, profile: Profile) -> bool:
        """Whether `learn` refuses the text of a column in a file, as it begins with a number."""
        if not self.is_text or profile.holds != "text" or profile.name in self.stated:
            return False
        from greedag.io.text import has_decimal_comma

        return number_in(str(profile.first)) is not None or any(
            has_decimal_comma(str(level)) for level in profile.levels
        )

    def leave_out(self, names: Iterable[str], why: str) -> dict[str, Any]:
        """Decide to drop columns, and return this as a fix."""
        fix = [name for name in names if name not in self.drop]
        self.drop.update(dict.fromkeys(fix, why))
        return {"drop": fix}

    def add(
        self,
        code: str,
        severity: Severity,
        columns: Sequence[str],
        where: str,
        *,
        why: str,
        remedy: str,
        fix: dict[str, Any] | None = None,
    ) -> None:
        """Add a finding."""
        self.findings.append(Finding(code, severity, tuple(columns), where, why, remedy, fix))

    def take_as_numbers(self) -> None:
        """Take codes as continuous, and say so."""
        self.kinds.update(dict.fromkeys(self.kinds, "continuous"))
        for place, finding in enumerate(self.findings):
            if finding.code == "codes":
                self.findings[place] = replace(
                    finding,
                    remedy="declare them discrete or continuous with kinds; here, all are treated "
                    "as continuous",
                    fix={"kinds": dict.fromkeys(finding.columns, "continuous")},
                )

    def spare_rows(self) -> None:
        """Keep all rows where no column is left that lacks values."""
        if not self.missing or any(profile.n_missing for profile in self.kept()):
            return
        self.missing = ""
        for place, finding in enumerate(self.findings):
            if finding.fix and "missing" in finding.fix:
                fix = {name: value for name, value in finding.fix.items() if name != "missing"}
                remedy = "nothing to do: the columns that lack values are dropped anyway"
                if "drop" in fix:
                    remedy = f"drop the columns with missing values: {all_listed(fix['drop'])}"
                self.findings[place] = replace(finding, fix=fix or None, remedy=remedy)

    def in_order(self) -> tuple[Finding, ...]:
        """Return the findings, errors first."""
        return tuple(sorted(self.findings, key=lambda found: SEVERITIES.index(found.severity)))

    def fixes(self) -> dict[str, Any]:
        """Return what to pass on to `learn`."""
        kept = {profile.name for profile in self.kept()}
        given = {**self.kinds, **self.stated}
        fixes: dict[str, Any] = {
            "drop": [name for name in self.source.names if name in self.drop],
            "na": list(self.na),
            "kinds": {name: kind for name, kind in given.items() if name in kept},
            "transform": {name: word for name, word in self.transform.items() if name in kept},
            "missing": self.missing,
        }
        return {name: value for name, value in fixes.items() if value}

    def words(self) -> dict[str, str]:
        """Return how columns that are kept are transformed, by the caller or by fixes."""
        names = [profile.name for profile in self.continuous()]
        given = self.given.transform
        words = dict.fromkeys(names, given) if isinstance(given, str) else dict(given)
        return {name: word for name, word in {**self.transform, **words}.items() if name in names}


def with_counts(pairs: Sequence[tuple[str, str]]) -> str:
    """Return columns with what is said of each, as ``'a' (3 values), 'b' (1 value)``."""
    return ", ".join(f"{name!r} ({what})" for name, what in pairs)


def examples(values: Iterable[object]) -> str:
    """Return a few values as shown."""
    return ", ".join(repr(value) for value in list(values)[:_EXAMPLES])


def plural(count: int, word: str) -> str:
    """Return a number with its word."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"

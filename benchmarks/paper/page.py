"""The results page: for every figure what the paper claims and what the rows say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from paper import figures
from paper.cells import Cell, Row
from paper.claims import CLAIMS, Claim
from paper.experiments import EXPERIMENTS, Experiment
from paper.findings import FIND
from paper.sample import Sample
from paper.verdicts import DECIDE

HEAD = """# The paper, run again

Every figure of the empirical part of "Extremely Greedy Equivalence Search" (Nazaret and Blei, UAI
2024), with what the paper claims, what we find, and where they differ. Text, tables and figures are
written by `make paper` from [the rows behind them](paper/rows.jsonl), one per data set and
method; nothing is copied by hand.

Data are those of the paper's appendix: an Erdős–Rényi graph with ρ parents per column on average,
weights from [1, 3] scaled to sum to 1, noise whose standard deviation is drawn from
U(0, ε_max = 0.5). Unless stated otherwise, n = 10,000 and α = 2. What a search sees of Gaussian
data is their covariance, so that is what is drawn, exactly from its law (Wishart); peers that need
rows get rows with that covariance. GES, GES-r, OPS, fGES, XGES-0 and XGES are the searches of this
package, XGES without the refinement that is its default here.
SHD counts the pairs of columns whose edge differs between the CPDAG found and the true one. AID is
the ancestor adjustment identification distance of Henckel, Würtzen and Weichwald (2024): of all
ordered pairs of columns, the share whose effect comes out wrong if one adjusts by the CPDAG found,
or is identified by only one of the two.
`a [b, c]` is a mean with its bootstrapped 95 % interval; differences are taken on the same data
sets.

`make paper-quick` draws every figure from reduced grids in minutes. `make paper` runs the full
ones, which takes an hour or more, and continues where it was stopped.
"""


def publish(rows: dict[Cell, Row], folder: Path, *, quick: bool) -> list[Path]:
    """Draw the figures whose rows are there and write the page; return what was written.

    A figure is drawn from its full grid if all rows of that are there and `quick` is not asked
    for, else from its reduced one. Figures without rows are named on the page.
    """
    (folder / "paper").mkdir(parents=True, exist_ok=True)
    page = folder / "paper.md"
    written, text = [page], [HEAD]
    for experiment in EXPERIMENTS:
        claim, found = CLAIMS[experiment.key], available(experiment, rows, quick=quick)
        text += ["", f"## {claim.title}", ""]
        if found is None:
            text.append("Not run yet.")
            continue
        sample, grid = found
        image = folder / "paper" / f"{experiment.key}.svg"
        figures.save(experiment.key, sample, image)
        written.append(image)
        text += _section(experiment, claim, sample, grid)
    page.write_text("\n".join(text) + "\n", encoding="utf-8")
    return written


def available(
    experiment: Experiment, rows: dict[Cell, Row], *, quick: bool
) -> tuple[Sample, str] | None:
    """Return the rows to draw from and which grid they are; none if neither grid is complete."""
    for reduced in (True,) if quick else (False, True):
        cells = experiment.cells(quick=reduced)
        if all(cell in rows for cell in cells):
            sample = Sample.of(rows[cell] for cell in sorted(cells))
            is_whole = cells == experiment.cells(quick=False)
            return sample, "full" if is_whole else "reduced"
    return None


def _section(experiment: Experiment, claim: Claim, sample: Sample, grid: str) -> Iterator[str]:
    origin = f" (the paper's `{experiment.label}`)" if experiment.label else ""
    yield f"![{claim.title}](paper/{experiment.key}.svg)"
    yield ""
    yield f"{claim.caption}{_counted(sample, grid)}{origin}"
    yield ""
    if claim.paper:
        yield f"**The paper.** {claim.paper}"
        yield ""
    if experiment.key in DECIDE:
        yield DECIDE[experiment.key](sample)
        yield ""
    yield from FIND[experiment.key](sample)
    missing = [row for row in sample.rows if row["status"] != "ok"]
    if missing and experiment.key != "peers":
        yield ""
        yield f"Without a result: {_statuses(missing)}."
    if claim.note:
        yield ""
        yield claim.note


def _counted(sample: Sample, grid: str) -> str:
    if not sample.rows:
        return ""
    seeds = len(sample.levels("seed"))
    return f" {seeds} seeds, {grid} grid, {len(sample.rows):,} rows."


def _statuses(rows: list[Row]) -> str:
    kinds = [
        f"{row['method']} at d = {row['d']}, ρ = {row['rho']:g} ({row['status']})" for row in rows
    ]
    return "; ".join(f"{kind} × {kinds.count(kind)}" for kind in sorted(set(kinds)))

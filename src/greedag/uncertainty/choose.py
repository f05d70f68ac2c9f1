"""Choosing the weight of the penalty along a path of them.

``"stars"`` (Liu, Roeder & Wasserman 2010) takes the least alpha whose graphs are stable: of 20
subsamples of 10√n rows, 0.8 n of at most 144, a pair of columns is adjacent in a share θ, and the
instability is the mean of 2θ(1 - θ) over all pairs. Coming from large alphas, whose graphs are
empty, its running maximum must not exceed 0.05. An edge costs the same part of the log-likelihood
per row in a subsample as in all n rows, as in the paper: an edge that b rows gain g for gains
about g n/b in all rows, so that the penalty of a subsample is b/n of alpha/2 log n.

``"cv"`` learns from all folds of the rows but one, and judges by the log-likelihood of that one. Of
all alphas, the largest is taken whose mean is within one standard error of the best; the error is
that of the difference, fold by fold, since most of what varies between folds is common to both.

``"ebic"`` takes the class with the best extended BIC of Foygel & Drton (2010), by which an edge
costs 2 gamma log d beside the usual BIC.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from greedag._options import LARGEST_ALPHA, LearnOptions
from greedag._progress import check_time
from greedag.data.table import Floats
from greedag.errors import DataError, Note, OptionError, TimeLimitError, quoted
from greedag.result.result import Result
from greedag.scores.base import Prepared, Score
from greedag.scores.blocks import Blocks, Counts, blocks_of, log_rows
from greedag.scores.gaussian import ExtendedBIC
from greedag.uncertainty.held_out import judge_of
from greedag.uncertainty.searches import (
    Count,
    Report,
    Searches,
    check_alpha,
    run_all,
    searches_of,
    stop,
)

By = Literal["stars", "cv", "ebic"]
DRAWS, THRESHOLD, FOLDS, GAMMA = 20, 0.05, 10, 0.5
# Up to so many rows, subsamples are a share of them: 10√n would be nearly all.
_FEW_ROWS, _SHARE = 144, 0.8
# Subsamples that cannot be learned from do not count, as long as so many do.
_LEAST_DRAWS = 2


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """An alpha that was chosen, and what all of them were compared by.

    Attributes
    ----------
    by : str
        ``"stars"``, ``"cv"`` or ``"ebic"``.
    alphas : ndarray
        Those that were compared, ascending.
    values : ndarray
        For ``"stars"`` the instability of each, or of a larger one if that is higher; for ``"cv"``
        the mean log-likelihood of a held-out row; for ``"ebic"`` the extended BIC, as a score:
        higher is better.
    errors : ndarray or None
        For ``"cv"``, the standard errors of how far values lie below the best one.
    chosen : int
        Which of them was chosen.
    why : str
        The reason, to go on from "alpha 3 was chosen".
    """

    by: By
    alphas: Floats
    values: Floats
    errors: Floats | None
    chosen: int
    why: str

    @property
    def alpha(self) -> float:
        """The alpha that was chosen."""
        return float(self.alphas[self.chosen])

    def note(self) -> Note:
        """Return what a result says about the choice."""
        return Note(
            f"alpha {self.alpha:g} was chosen {self.why}",
            code="alpha",
            counts={"alpha": self.alpha},
        )


def _blocks(searches: Searches) -> Blocks:
    try:
        return blocks_of(searches.prepared, searches.options.seed)
    except DataError as error:
        if error.code != "no-rows":
            raise
        why = f"{type(searches.prepared.statistics).__name__} has no rows to draw from"
        if searches.prepared.held_out is not None:
            why = "where some rows are held out, others are drawn only if all are in memory"
        raise DataError(
            why,
            remedy="pass the table itself, or choose alpha by 'ebic'",
            code="no-rows",
        ) from None


# ---- stability


def subsample_size(n: float) -> float:
    """Return how many of n rows a subsample has."""
    return _SHARE * n if n <= _FEW_ROWS else 10.0 * math.sqrt(n)


def subsample(blocks: Blocks, share: float, draw: int, seed: int) -> Counts:
    """Return which blocks a subsample has: a share of them, at least one of each group.

    Subsamples have no block in common until there are none left.
    """
    chosen = []
    for group, size in enumerate(blocks.groups):
        taken = min(max(round(share * size), 1), size)
        apart = size // taken
        random = np.random.default_rng([seed, 3, draw // apart, group])
        first = draw % apart * taken
        counts = np.zeros(size, dtype=np.intp)
        counts[random.permutation(size)[first : first + taken]] = 1
        chosen.append(counts)
    return np.concatenate(chosen)


def alpha_of_part(alpha: float, b: float, n: float) -> float:
    """Return the alpha by which an edge costs b rows b/n of what it costs n rows."""
    return min(alpha * (b / n) * log_rows(n) / log_rows(b), LARGEST_ALPHA)


def instability(shares: Floats) -> float:
    """Return the mean over pairs of 2θ(1 - θ), from the shares of draws in which they touch."""
    upper = shares[np.triu_indices(len(shares), 1)]
    return float((2.0 * upper * (1.0 - upper)).mean()) if upper.size else 0.0


def stars(
    searches: Searches,
    alphas: Sequence[float],
    *,
    draws: int = DRAWS,
    threshold: float = THRESHOLD,
    done: Count,
) -> Choice:
    """Choose the least alpha whose graphs are stable; see the module.

    Alphas below the first that is not stable are not looked at.
    """
    blocks, seed = _blocks(searches), searches.options.seed
    share = subsample_size(searches.n) / searches.n
    parts = [blocks.statistics(subsample(blocks, share, draw, seed)) for draw in range(draws)]
    judged: list[tuple[float, float]] = []
    for alpha in sorted(alphas, reverse=True):
        check_time("choosing alpha")
        value = instability(_shares(searches, parts, alpha, done))
        judged.append((alpha, max([value, *(before for _, before in judged)])))
        if judged[-1][1] > threshold:
            break
    judged.reverse()
    stable = [place for place, (_, value) in enumerate(judged) if value <= threshold]
    rows = np.mean([part.n for part in parts])
    about = f"in {draws} subsamples of {rows:.0f} of {searches.n:.10g} rows"
    found, values = (np.array(each) for each in zip(*judged, strict=True))
    if not stable:
        why = (
            f"as the largest of those tried, though even its graphs are not stable {about}; path() "
            "can try larger ones"
        )
        return Choice("stars", found, values, None, len(judged) - 1, why)
    why = (
        f"as the least whose graphs are stable {about}: instability {values[stable[0]]:.3f}, at "
        f"most {threshold:g}"
    )
    if stable[0] == 0:
        why += "; all alphas are, and smaller ones might be"
    return Choice("stars", found, values, None, stable[0], why)


def _shares(searches: Searches, parts: Sequence[Any], alpha: float, done: Count) -> Floats:
    """Return in which share of parts of the rows each two columns are adjacent."""

    def touching(part: Any, report: Report | None) -> NDArray[np.uint8] | DataError:
        try:
            weight = alpha_of_part(alpha, part.n, searches.n)
            cells = searches.of_part(part, weight, report).cpdag.to_matrix()
        except TimeLimitError:
            raise
        except DataError as error:  # say, because a column is constant in these rows
            return error
        return cells | cells.T

    total, count, why = np.zeros((searches.d, searches.d)), 0, None
    tasks = [partial(touching, part) for part in parts]
    with closing(run_all(tasks, searches.options.n_jobs)) as outcomes:
        for _, found in outcomes:
            if isinstance(found, DataError):
                why = found
            else:
                total += found
                count += 1
            done()
    if why is not None and count < _LEAST_DRAWS:
        raise why.within("in subsamples of the rows: ")
    return total / count


# ---- held-out rows


def fold_counts(blocks: Blocks, folds: int, seed: int) -> list[Counts]:
    """Return which blocks are in each fold, about as many in each.

    Raises
    ------
    DataError
        If there are fewer rows than folds.
    """
    if min(blocks.groups) < folds:
        raise DataError(
            f"{min(blocks.groups)} rows cannot be divided into {folds} folds",
            remedy="choose fewer folds, or choose alpha by 'ebic'",
            code="few-rows",
        )
    places = []
    for group, size in enumerate(blocks.groups):
        random = np.random.default_rng([seed, 4, group])
        place = np.empty(size, dtype=np.intp)
        place[random.permutation(size)] = np.arange(size) % folds
        places.append(place)
    return [np.concatenate([place == fold for place in places]).astype(np.intp)
            for fold in range(folds)]  # fmt: skip


def cv(searches: Searches, alphas: Sequence[float], *, folds: int = FOLDS, done: Count) -> Choice:
    """Choose the largest alpha that is about as good as the best for held-out rows."""
    judge_by = judge_of(searches.score, searches.prepared)
    blocks = _blocks(searches)
    out = fold_counts(blocks, folds, searches.options.seed)
    parts = [(blocks.statistics(1 - each), blocks.statistics(each)) for each in out]
    judges = [judge_by(train, test) for train, test in parts]

    def judge(alpha: float, fold: int, report: Report | None) -> float:
        check_time("choosing alpha")
        train, test = parts[fold]
        try:
            dag = searches.of_part(train, alpha, report).best_dag
            return judges[fold](dag, searches.score.with_alpha(alpha)) / float(test.n)
        except DataError as error:
            raise error.within(f"without the rows of fold {fold + 1}: ") from None

    # From large alphas, whose searches take less time, to small ones.
    ordered = sorted(alphas, reverse=True)
    tasks = [partial(judge, alpha, fold) for alpha in ordered for fold in range(folds)]
    found = np.empty(len(tasks))
    with closing(run_all(tasks, searches.options.n_jobs)) as outcomes:
        for place, value in outcomes:
            found[place] = value
            done()
    values = found.reshape(-1, folds)[::-1]
    return _within_one_error(np.array(ordered[::-1]), values)


def _within_one_error(alphas: Floats, values: Floats) -> Choice:
    """Choose the largest alpha within one standard error of the best, from values by fold."""
    folds = values.shape[1]
    means = values.mean(axis=1)
    best = int(np.argmax(means))
    errors: Floats = (values[best] - values).std(axis=1, ddof=1) / math.sqrt(folds)
    near = np.flatnonzero(means[best] - means <= errors)
    chosen = int(near[-1])
    why = f"by {folds} folds of the rows: it fits held-out rows best"
    if chosen != best:
        why = (
            f"by {folds} folds of the rows, as the largest that fits held-out rows within one "
            f"standard error as well as {alphas[best]:g} does, the best"
        )
    return Choice("cv", alphas, means, errors, chosen, why)


# ---- extended BIC


def extended_bic(result: Result, gamma: float) -> float:
    """Return the extended BIC of the class of a result."""
    score, statistics = result.objective, result.statistics
    assert score is not None and statistics is not None
    edges, d = len(result.cpdag.directed) + len(result.cpdag.undirected), result.cpdag.d
    plain = score.with_alpha(1.0)
    if isinstance(plain, ExtendedBIC):
        plain = replace(plain, gamma=0.0)
    bic = plain.bind(statistics, check=False).of_dag(result.best_dag)
    return float(bic) - 2.0 * gamma * math.log(d) * edges


def ebic(alphas: Sequence[float], results: Sequence[Result], *, gamma: float = GAMMA) -> Choice:
    """Choose the largest alpha whose class has the best extended BIC."""
    values = np.array([extended_bic(result, gamma) for result in results])
    found = np.array(alphas)
    chosen = int(np.flatnonzero(values >= values.max() - 1e-9 * (1.0 + abs(values.max())))[-1])
    why = f"because its class has the best extended BIC (gamma {gamma:g}) of {len(found)} alphas"
    return Choice("ebic", found, values, None, chosen, why)


# ---- `learn`


def default_alphas(n: float, d: int) -> list[float]:
    """Return weights of the penalty from 16, or more for many rows, to 0.5, or more for few.

    Below the least, chance would add more than an edge per column if all were independent, and
    searches would take long for nothing. Each is about 2^(1/4) times the one before.
    """
    from statistics import NormalDist

    share = min(2.0 / max(d - 1, 1), 0.9)
    log_n = math.log(max(n, 3.0))
    low = NormalDist().inv_cdf(share / 2.0) ** 2 / log_n
    # What "stars" comes to, with room: see `alpha_of_part`.
    high = math.sqrt(n) / log_n
    first = max(math.ceil(4.0 * math.log2(max(low, 0.5))), -4)
    last = max(math.ceil(4.0 * math.log2(max(high, 16.0))), 16, first + 4)
    return [float(f"{2.0 ** (k / 4.0):.3g}") for k in range(first, last + 1)]


def with_alpha_along_path(
    score: Score, prepared: Prepared, options: LearnOptions
) -> tuple[Score, Prepared]:
    """Return a score whose alpha was chosen along the default path, and a note on how."""
    check_alpha(score)
    searches = searches_of(score, prepared, options)
    alphas = default_alphas(searches.n, searches.d)
    by: Any = options.alpha
    if by == "ebic":
        found, stopped = searches.swept(alphas, Count())
        if stopped:
            stop(stopped)
        judged = ebic(alphas, [found[alpha] for alpha in alphas])
    else:
        judged = compared(searches, alphas, by)
    notes = (*prepared.notes, judged.note())
    return score.with_alpha(judged.alpha), replace(prepared, notes=notes)


def compared(
    searches: Searches, alphas: Sequence[float], by: str, done: Count | None = None, **how: Any
) -> Choice:
    """Choose by "stars" or "cv"."""
    counted = Count() if done is None else done
    if by == "stars":
        return stars(searches, alphas, done=counted, **how)
    if by == "cv":
        return cv(searches, alphas, done=counted, **how)
    raise OptionError(f"by must be 'stars', 'cv' or 'ebic'; got {quoted(by)}")

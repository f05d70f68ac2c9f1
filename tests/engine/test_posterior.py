"""Probabilities over all DAGs, against a sum over each of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from greedag import _core
from greedag.scores.custom import engine_of
from oracle import posterior as twin

PRIORS = ("orders", "uniform")
CLOSE = 1e-9
Tables = list[NDArray[np.float64]]


class Tabled:
    """A score whose numbers stand in tables."""

    is_equivalent = False

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def local_score(self, y: int, parents: tuple[int, ...]) -> float:
        return float(self.tables[y][sum(1 << p for p in parents)])


def engine_score(tables: Tables) -> _core.Score:
    return engine_of(Tabled(tables), [f"x{i}" for i in range(len(tables))], 100)


def computed(tables: Tables, prior: str, **options: object) -> _core.Posterior:
    found = _core.posterior(engine_score(tables), prior, **options)  # type: ignore[arg-type]
    assert found is not None
    return found


def differences(found: _core.Posterior, expected: twin.Probabilities) -> tuple[float, ...]:
    evidence = found.log_total - found.log_prior_total
    return (
        float(np.abs(found.edges - expected.edges).max()),
        float(np.abs(found.paths - expected.paths).max()),
        abs(evidence - expected.log_evidence) / max(1.0, abs(expected.log_evidence)),
    )


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("spread", [0.0, 0.3, 3.0, 100.0, 10_000.0])
def test_probabilities_are_those_of_all_dags(prior: str, spread: float) -> None:
    for seed in range(60):
        d = 1 + seed % 5
        tables = twin.random_tables(seed, d, spread)
        expected = twin.probabilities(tables, prior)
        assert max(differences(computed(tables, prior), expected)) <= CLOSE


@pytest.mark.parametrize("prior", PRIORS)
def test_columns_that_determine_each_other_do_not_underflow(prior: str) -> None:
    """Every DAG is e^-100000 times as likely as each node's best parents, or less."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        sizes = np.array([mask.bit_count() for mask in range(32)])
        tables = [np.where(sizes == 0, -1e5, -5e4 * (sizes == 1)) for _ in range(5)]
        tables = [table + rng.normal(size=32) for table in tables]
        expected = twin.probabilities(tables, prior)
        assert max(differences(computed(tables, prior), expected)) <= CLOSE


def random_arcs(rng: np.random.Generator, d: int) -> tuple[list[tuple[int, int]], ...]:
    """Return required arcs without a cycle, and forbidden ones."""
    place = rng.permutation(d)
    required, forbidden = [], []
    for x, y in permutations(range(d), 2):
        kind = rng.random()
        if kind < 0.15 and place[x] < place[y]:
            required.append((x, y))
        elif kind > 0.7:
            forbidden.append((x, y))
    return required, forbidden


@pytest.mark.parametrize("prior", PRIORS)
def test_limits_of_parents_are_kept(prior: str) -> None:
    for seed in range(100):
        rng = np.random.default_rng(seed)
        d = 3 + seed % 3
        tables = twin.random_tables(seed, d, 2.0, refused=0.0)
        required, forbidden = random_arcs(rng, d)
        needed = max(sum(head == y for _, head in required) for y in range(d))
        most = None if seed % 2 else max(needed, int(rng.integers(1, d)))
        knowledge = _core.Knowledge(d, required=required, forbidden=forbidden, tiers=[], before=[])
        found = computed(tables, prior, knowledge=knowledge, max_parents=most)
        expected = twin.probabilities(
            tables, prior, required=required, forbidden=forbidden, max_parents=most
        )
        assert max(differences(found, expected)) <= CLOSE


@pytest.mark.parametrize("prior", PRIORS)
def test_tiers_of_all_columns_are_forbidden_arcs(prior: str) -> None:
    tiers = [1, 0, 1, 2, 0]
    forbidden = [(x, y) for x, y in permutations(range(5), 2) if tiers[x] > tiers[y]]
    knowledge = _core.Knowledge(5, required=[], forbidden=[], tiers=tiers, before=[])
    for seed in range(20):
        tables = twin.random_tables(seed, 5, 2.0)
        expected = twin.probabilities(tables, prior, forbidden=forbidden)
        assert max(differences(computed(tables, prior, knowledge=knowledge), expected)) <= CLOSE


@pytest.mark.parametrize("prior", PRIORS)
def test_refused_parents_have_no_weight(prior: str) -> None:
    for seed in range(60):
        tables = twin.random_tables(seed, 4, 2.0, refused=0.5)
        expected = twin.probabilities(tables, prior)
        assert max(differences(computed(tables, prior), expected)) <= CLOSE


def test_where_no_dag_can_be_scored_there_are_no_probabilities() -> None:
    tables = twin.random_tables(0, 3, 1.0)
    tables[1][1] = tables[1][5] = -np.inf
    knowledge = _core.Knowledge(3, required=[(0, 1)], forbidden=[], tiers=[], before=[])
    for prior in PRIORS:
        found = computed(tables, prior, knowledge=knowledge)
        assert found.log_total == -np.inf
        assert found.edges.size == found.paths.size == 0


@pytest.mark.parametrize("prior", PRIORS)
def test_threads_change_nothing(prior: str) -> None:
    tables = twin.random_tables(3, 9, 2.0)
    one, three = (computed(tables, prior, jobs=jobs) for jobs in (1, 3))
    assert np.array_equal(one.edges, three.edges)
    assert np.array_equal(one.paths, three.paths)
    assert one.log_total == three.log_total


def signed_sums(tables: Tables) -> tuple[NDArray[np.float64], ...]:
    """Sum over DAGs by inclusion and exclusion, in fractions, on more nodes than can be listed."""
    from fractions import Fraction

    d = len(tables)
    weights = [[Fraction(0 if x != x else float(np.exp(x))) for x in table] for table in tables]

    def total(own: Sequence[Sequence[Fraction]]) -> Fraction:
        sums = [list(table) for table in own]
        for table in sums:
            for v in range(d):
                for mask in range(1 << d):
                    if mask >> v & 1:
                        table[mask] += table[mask ^ 1 << v]
        found = [Fraction(0)] * (1 << d)
        found[0] = Fraction(1)
        for mask in range(1, 1 << d):
            sinks = mask
            while sinks:
                term = found[mask ^ sinks]
                for y in range(d):
                    if sinks >> y & 1:
                        term *= -sums[y][mask ^ sinks]
                found[mask] -= term
                sinks = (sinks - 1) & mask
        return found[-1]

    everything = total(weights)
    edges = np.zeros((d, d))
    for x, y in permutations(range(d), 2):
        with_arc = list(weights)
        with_arc[y] = [w if mask >> x & 1 else Fraction(0) for mask, w in enumerate(weights[y])]
        edges[x, y] = float(total(with_arc) / everything)
    return edges, np.array(float(everything))


@pytest.mark.parametrize("spread", [0.0, 4.0])
def test_sums_of_both_signs_lose_no_digits(spread: float) -> None:
    tables = twin.random_tables(1, 6, spread)
    if not spread:
        # Nearly no edges, where most terms cancel.
        for table in tables:
            table -= 40.0 * np.array([mask.bit_count() for mask in range(64)])
    edges, _ = signed_sums(tables)
    assert np.abs(computed(tables, "uniform").edges - edges).max() <= 1e-14


@pytest.mark.parametrize("prior", PRIORS)
def test_independent_columns_have_edges_by_the_prior_alone(prior: str) -> None:
    """All DAGs on 12 nodes: numbers known from elsewhere (OEIS A003024), and symmetry."""
    tables = [np.zeros(1 << 12) for _ in range(12)]
    found = computed(tables, prior)
    if prior == "uniform":
        assert found.log_total == pytest.approx(math.log(521939651343829405020504063), rel=1e-14)
    away = ~np.eye(12, dtype=bool)
    assert np.ptp(found.edges[away]) <= 1e-13
    assert np.ptp(found.paths[away]) <= 1e-13


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("spread", [0.5, 2.0])
def test_draws_follow_the_distribution(prior: str, spread: float) -> None:
    """The most likely DAGs of 4 nodes, each within 6 standard errors; so are edges and paths."""
    tables = twin.random_tables(5, 4, spread)
    dags = twin.all_dags(4)
    logs = sum(table[dags.parents[:, y]] for y, table in enumerate(tables))
    weights = np.exp(logs) * (dags.orders if prior == "orders" else 1)
    shares = weights / weights.sum()
    draws = 20_000
    drawn = computed(tables, prior).sample(draws, seed=1)
    assert drawn.shape == (draws, 4, 4)
    keys = drawn.reshape(draws, 16) @ (1 << np.arange(16))
    listed = dags.arcs.reshape(-1, 16) @ (1 << np.arange(16))
    assert set(keys.tolist()) <= set(listed.tolist())
    for key, share in zip(listed.tolist(), shares.tolist(), strict=True):
        error = np.sqrt(share * (1.0 - share) / draws)
        assert abs((keys == key).mean() - share) <= 6.0 * error + 10.0 / draws


@pytest.mark.parametrize("prior", PRIORS)
def test_draws_of_more_columns_have_the_probabilities_of_edges(prior: str) -> None:
    tables = twin.random_tables(2, 9, 1.5)
    knowledge = _core.Knowledge(9, required=[(0, 1)], forbidden=[(2, 3)], tiers=[], before=[])
    found = computed(tables, prior, knowledge=knowledge, max_parents=4)
    drawn = found.sample(5000, seed=2)
    assert drawn[:, 0, 1].all()
    assert not drawn[:, 2, 3].any()
    assert drawn.sum(axis=1).max() <= 4
    errors = np.sqrt(found.edges * (1.0 - found.edges) / 5000)
    assert (np.abs(drawn.mean(axis=0) - found.edges) <= 6.0 * errors + 1e-3).all()


def test_draws_depend_on_the_seed_and_on_nothing_else() -> None:
    tables = twin.random_tables(2, 6, 1.0)
    for prior in PRIORS:
        many, few = (computed(tables, prior).sample(k, seed=7) for k in (50, 20))
        assert np.array_equal(many[:20], few)
        assert not np.array_equal(many, computed(tables, prior).sample(50, seed=8))


def test_what_cannot_be_computed_is_refused() -> None:
    with pytest.raises(ValueError, match="too many nodes"):
        _core.posterior(_core.GaussianBic(np.eye(21), np.zeros(21), 100, 1.0), "orders")
    with pytest.raises(ValueError, match="too many nodes"):
        _core.posterior(_core.GaussianBic(np.eye(17), np.zeros(17), 100, 1.0), "uniform")
    score = _core.GaussianBic(np.eye(3), np.zeros(3), 100, 1.0)
    with pytest.raises(ValueError, match="unknown prior"):
        _core.posterior(score, "other")
    known = _core.Knowledge(3, required=[], forbidden=[], tiers=[], before=[(0, 1)])
    with pytest.raises(ValueError, match="ancestors"):
        _core.posterior(score, "orders", knowledge=known)

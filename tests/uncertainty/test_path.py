"""Paths of classes, and the choice of one of them, against twins that look at the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.oracle import choosing

from greedag import Moments, Path, learn, metrics, path, scores, simulate
from greedag.errors import DataError, OptionError, SearchInterrupted, TimeLimitError
from greedag.scores.blocks import blocks_of
from greedag.statistics.block_sums import dealt_out
from greedag.uncertainty.choose import default_alphas, fold_counts, subsample, subsample_size

ALPHAS = [0.5, 1.0, 2.0, 4.0, 8.0]


def table(n: int = 600, d: int = 6, seed: int = 3) -> Any:
    return simulate.linear_gaussian(d, 1.5, n, seed=seed).data


def plain(n: int = 2000) -> pd.DataFrame:
    """Return a → b → c with strong effects, and two columns of noise."""
    random = np.random.default_rng(1)
    a, e, f = random.normal(size=(3, n))
    b = a + random.normal(size=n)
    c = b + random.normal(size=n)
    return pd.DataFrame({"a": a, "b": b, "c": c, "e": e, "f": f})


def mixed(n: int = 500) -> pd.DataFrame:
    random = np.random.default_rng(2)
    g = random.integers(0, 3, n)
    h = np.where(random.random(n) < 0.7, g, random.integers(0, 3, n))
    x = random.normal(size=n) + g
    y = 0.4 * x**2 + random.normal(size=n)
    return pd.DataFrame({"g": pd.Categorical(g), "x": x, "h": pd.Categorical(h), "y": y})


def discrete(n: int = 500) -> pd.DataFrame:
    return mixed(n)[["g", "h"]].assign(u=pd.Categorical(np.random.default_rng(5).integers(0, 2, n)))


def rows_of(found: Path, counts: Any) -> Any:
    n = int(found.searches.n)
    places = dealt_out(n, len(counts), found.searches.options.seed)
    return np.sort(np.concatenate([places[b] for b in np.flatnonzero(counts)]))


def edges(result: Any) -> set[frozenset[str]]:
    return {frozenset(edge) for edge in (*result.cpdag.directed, *result.cpdag.undirected)}


# ---- the path


def test_every_class_scores_at_least_as_well_as_a_search_from_the_empty_graph() -> None:
    data = table(d=15, n=300)
    found = path(data, alphas=ALPHAS, effort=0)
    assert found.alphas.tolist() == ALPHAS
    for alpha, result in zip(ALPHAS, found.results, strict=True):
        assert result.score >= learn(data, alpha=alpha, effort=0).score - 1e-9


def test_a_search_from_a_neighbour_is_kept_where_it_is_better_and_its_trace_adds_up() -> None:
    improved = 0
    for seed in range(12):
        data = simulate.linear_gaussian(20, 3.0, 200, seed=seed).data
        found = path(data, alphas=ALPHAS, effort=0, search="ges")
        for alpha, result in zip(ALPHAS, found.results, strict=True):
            bound = result.objective.bind(result.statistics)  # type: ignore[union-attr]
            empty = bound.of_dag(np.zeros_like(result.best_dag))
            gains = sum(operator.gain for operator in result.trace)
            assert empty + gains == pytest.approx(result.score, rel=1e-10)
            assert bound.of_dag(result.best_dag) == pytest.approx(result.score, rel=1e-10)
            improved += result.score > learn(data, alpha=alpha, effort=0, search="ges").score + 1e-6
    assert improved > 0


def test_lifetimes_and_table_are_those_of_the_graphs() -> None:
    found = path(mixed(), alphas=[8, 1, 2, 2])
    steps = found.table()
    assert [step.alpha for step in steps] == [1.0, 2.0, 8.0]
    for place, (step, result) in enumerate(zip(steps, found.results, strict=True)):
        graph = result.graph
        assert step.edges == len(graph.directed) + len(graph.undirected)
        assert step.directed == len(graph.directed)
        before = found.results[max(place - 1, 0)].graph
        assert step.changes == metrics.shd(graph, before)
        for edge in found.lifetimes():
            mark = {"→": (edge.a, edge.b), "←": (edge.b, edge.a)}.get(edge.marks[place])
            pair = {edge.a, edge.b}
            assert (mark in graph.directed) == (mark is not None)
            assert (edge.marks[place] == "-") == (pair in [set(e) for e in graph.undirected])
    for edge in found.lifetimes():
        alive = [a for a, mark in zip(found.alphas, edge.marks, strict=True) if mark]
        assert (edge.least, edge.most) == (alive[0], alive[-1])
    assert len(found.lifetimes()) == len(set().union(*map(edges, found.results)))


@pytest.mark.parametrize("score", ["gaussian-bic", "additive"])
def test_numbers_do_not_depend_on_threads(score: Any) -> None:
    one, two = (path(table(300), alphas=ALPHAS, score=score, n_jobs=jobs) for jobs in (1, 2))
    assert one.results == two.results
    for by in ("stars", "cv", "ebic"):
        first, second = one.choice(by), two.choice(by)  # type: ignore[arg-type]
        assert first.alpha == second.alpha
        assert first.values.tolist() == second.values.tolist()


def test_default_alphas_start_where_chance_would_add_an_edge_per_column() -> None:
    few, many = default_alphas(10_000, 10), default_alphas(100, 1000)
    assert few[0] == 0.5 and few[-1] == 16.0
    assert many[0] > 1.5
    ratios = np.diff(np.log2(many))
    assert np.allclose(ratios, 0.25, atol=0.01)
    assert default_alphas(10**8, 10)[-1] > 500


# ---- StARS


def test_stars_is_that_of_searches_on_the_rows_of_subsamples() -> None:
    data, draws, threshold = plain(600).to_numpy(), 6, 0.05
    found = path(data, alphas=ALPHAS)
    choice = found.choice("stars", draws=draws, threshold=threshold)
    blocks = blocks_of(found.searches.prepared, 0)
    share = subsample_size(len(data)) / len(data)
    values = []
    for alpha in ALPHAS:
        graphs = []
        for draw in range(draws):
            part = data[rows_of(found, subsample(blocks, share, draw, 0))]
            weight = choosing.part_alpha(alpha, len(part), len(data))
            graphs.append(learn(part, alpha=weight).cpdag.to_matrix())
        values.append(choosing.instability(graphs))
    expected = choosing.running_maximum(values)
    looked_at = len(choice.values)
    assert choice.values == pytest.approx(expected[-looked_at:], abs=1e-12)
    place = choosing.stars_choice(values, threshold)
    assert choice.alpha == ALPHAS[place]
    # The rule decides here, and no alpha below the first that is not stable is looked at.
    assert expected[place] <= threshold < expected[place - 1]
    assert 0 < place == len(ALPHAS) - looked_at + 1


def test_subsamples_have_ten_times_the_root_of_the_rows_and_share_none_while_they_can() -> None:
    found = path(table(2500), alphas=[2])
    blocks = blocks_of(found.searches.prepared, 0)
    share = subsample_size(2500) / 2500
    parts = [rows_of(found, subsample(blocks, share, draw, 0)) for draw in range(5)]
    assert all(abs(len(part) - 500) <= 10 for part in parts)
    assert len(np.unique(np.concatenate(parts))) == sum(map(len, parts))
    again = rows_of(found, subsample(blocks, share, 5, 0))
    assert not np.array_equal(again, parts[0])


def test_stars_says_when_no_alpha_is_stable() -> None:
    choice = path(table(200), alphas=[0.01, 0.02]).choice("stars", threshold=0.0)
    assert choice.alpha == 0.02
    assert "not stable" in choice.why


# ---- held-out rows


def folds_of(found: Path, folds: int) -> Any:
    """Give the rows to learn from and to judge by, for each fold."""
    blocks = blocks_of(found.searches.prepared, 0)
    for counts in fold_counts(blocks, folds, 0):
        yield rows_of(found, 1 - counts), rows_of(found, counts)


def check_cv(found: Path, folds: int, judged: Any) -> None:
    choice = found.choice("cv", folds=folds)
    values = [
        [judged(alpha, train, test) / len(test) for train, test in folds_of(found, folds)]
        for alpha in found.alphas
    ]
    assert choice.values == pytest.approx(np.mean(values, axis=1), rel=1e-9)
    assert choice.alpha == found.alphas[choosing.one_standard_error(np.array(values))]


def test_folds_divide_the_rows() -> None:
    found = path(table(101), alphas=[2])
    tests = [test for _, test in folds_of(found, 7)]
    assert sorted(np.concatenate(tests).tolist()) == list(range(101))
    assert max(map(len, tests)) - min(map(len, tests)) <= 1


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_held_out_likelihood_of_lines_is_that_of_the_rows(scale: float) -> None:
    data = table(300) * np.array([scale, 1, 1, 1 / scale, 1, 1]) + 3.0
    blocks = [[j] for j in range(6)]

    def judged(alpha: float, train: Any, test: Any) -> float:
        dag = learn(data[train], alpha=alpha).best_dag
        return choosing.normal_log_likelihood(data[train], data[test], blocks, dag)

    check_cv(path(data, alphas=ALPHAS), 5, judged)


def test_held_out_likelihood_of_indicators_is_that_of_the_rows() -> None:
    frame = mixed(300)
    columns = np.column_stack(
        [frame.g == 1, frame.g == 2, frame.x, frame.h == 1, frame.h == 2, frame.y]
    ).astype(float)
    blocks = [[0, 1], [2], [3, 4], [5]]

    def judged(alpha: float, train: Any, test: Any) -> float:
        dag = learn(frame.iloc[train], alpha=alpha).best_dag
        return choosing.normal_log_likelihood(columns[train], columns[test], blocks, dag)

    check_cv(path(frame, alphas=ALPHAS), 5, judged)


def test_held_out_likelihood_of_levels_is_that_of_the_rows() -> None:
    frame = discrete()
    found = path(frame, alphas=ALPHAS, score="discrete-bic")
    codes = np.column_stack([frame[name].cat.codes for name in frame])
    # Blocks are dealt out among the rows in the order of distinct ones.
    order = np.lexsort(codes.T[::-1])
    counted: Any = found.searches.prepared.statistics
    repeated = np.repeat(counted.codes.T, counted.counts.astype(int), axis=0)
    assert sorted(map(tuple, repeated)) == sorted(map(tuple, codes[order]))

    def judged(alpha: float, train: Any, test: Any) -> float:
        part = pd.DataFrame(repeated[train], columns=list(frame)).astype("category")
        dag = learn(part, alpha=alpha, score="discrete-bic").best_dag
        return choosing.discrete_log_likelihood(repeated[train], repeated[test], dag, (3, 3, 2))

    check_cv(found, 5, judged)


def test_held_out_likelihood_of_curves_without_bends_is_that_of_lines() -> None:
    """Where the score takes no curve, sums of curves are linear equations."""
    data = table(300)
    alphas = [8.0, 16.0]
    found = path(data, alphas=alphas, score="additive")
    blocks = [[j] for j in range(6)]

    def judged(alpha: float, train: Any, test: Any) -> float:
        dag = found.searches.of_part(
            blocks_of(found.searches.prepared, 0).statistics(counts[len(test), test[0]]), alpha
        ).best_dag
        return choosing.normal_log_likelihood(data[train], data[test], blocks, dag)

    folds = fold_counts(blocks_of(found.searches.prepared, 0), 5, 0)
    counts = {(len(r), r[0]): 1 - c for c in folds for r in [rows_of(found, c)]}
    check_cv(found, 5, judged)


def test_curves_predict_held_out_rows_better_than_lines() -> None:
    frame = mixed()[["x", "y"]]
    bent, straight = (
        path(frame, alphas=[2], score=score).choice("cv").values[0]
        for score in ("additive", "gaussian-bic")
    )
    assert bent > straight + 0.05


# ---- extended BIC


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0])
def test_extended_bic_is_its_formula(gamma: float) -> None:
    data = table()
    for score in ("gaussian-bic", scores.ExtendedBIC(gamma=0.7)):
        found = path(data, alphas=ALPHAS, score=score)  # type: ignore[arg-type]
        choice = found.choice("ebic", gamma=gamma)
        values = [choosing.extended_bic(data, result.best_dag, gamma) for result in found.results]
        # Differences: the engine's scores may leave out constants of the data.
        assert np.diff(choice.values) == pytest.approx(np.diff(values), abs=1e-6)
        assert choice.values[choice.chosen] == choice.values.max()


# ---- choosing


@pytest.mark.parametrize("by", ["stars", "cv", "ebic"])
def test_each_choice_is_right_on_a_plain_table(by: Any) -> None:
    found = path(plain())
    result = found.select(by)
    assert edges(result) == {frozenset("ab"), frozenset("bc")}
    assert result.settings["alpha"] == found.choice(by).alpha
    [note] = [note for note in result.notes if note.code == "alpha"]
    assert note.counts == {"alpha": result.settings["alpha"]}
    assert by in next(s for s in found.table() if s.alpha == note.counts["alpha"]).chosen_by


@pytest.mark.parametrize("by", ["stars", "cv", "ebic"])
def test_learn_chooses_as_along_the_default_path(by: Any) -> None:
    data = plain(500)
    result, chosen = learn(data, alpha=by), path(data).select(by)
    assert result.settings == chosen.settings
    assert result.cpdag == chosen.cpdag
    assert [n for n in result.notes if n.code == "alpha"] == [
        n for n in chosen.notes if n.code == "alpha"
    ]


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (mixed(), {}),
        (mixed(), {"score": "conditional-gaussian"}),
        (mixed(), {"score": "additive"}),
        (discrete(), {"score": "discrete-bic"}),
        (plain(300), {"sample_weight": np.linspace(0.5, 2.0, 300)}),
        (plain(300), {"search": "exact"}),
        (plain(300), {"knowledge": {"tiers": [["c"], ["a", "b", "e", "f"]]}}),
        (plain(300).mask(np.eye(300, 5, dtype=bool)), {"missing": "em"}),
        (plain(300).assign(t=["", "a", ""] * 100), {"interventions": "t"}),
    ],
)
def test_stars_and_ebic_take_all_kinds_of_tables(data: Any, options: Any) -> None:
    found = path(data, alphas=[1.0, 4.0], **options)
    for by in ("stars", "ebic"):
        assert found.select(by).settings["alpha"] in (1.0, 4.0)  # type: ignore[arg-type]


def test_levels_that_are_missing_in_subsamples_do_not_stop_the_choice() -> None:
    data = mixed().assign(rare=pd.Categorical([1, 1, *[0] * 498]))
    for score in ("degenerate-gaussian", "additive"):
        for by in ("stars", "cv"):
            learn(data, alpha=by, score=score)  # type: ignore[arg-type]


def test_a_plot_has_a_bar_for_each_life_and_a_line_for_each_choice() -> None:
    found = path(plain(), alphas=ALPHAS)
    found.select("ebic")
    axes = found.plot()
    assert [text.get_text() for text in axes.get_yticklabels()][:2] == ["a – b", "b – c"]
    assert len(axes.patches) >= len(found.lifetimes())
    legend = axes.get_legend()
    assert legend is not None
    assert "EBIC: 8" in [text.get_text() for text in legend.get_texts()]


def test_a_path_is_shown_as_a_table() -> None:
    found = path(plain(), alphas=[2, 4])
    found.select("ebic")
    lines = str(found).splitlines()
    assert lines[0] == "2 classes of 2000 rows, 5 columns: 2 edges at alpha 2, 2 at 4"
    assert lines[1].split()[:4] == ["alpha", "edges", "directed", "changes"]
    assert lines[3].split()[:4] == ["4", "2", "0", "0"] and lines[3].endswith("ebic")
    assert "<table>" in found._repr_html_()
    assert repr(found.lifetimes()).splitlines()[1].split() == ["a", "b", "2", "4", "--"]


# ---- errors and ends


class Own:
    def local_score(self, y: int, parents: tuple[int, ...]) -> float:
        return -float(len(parents))


@pytest.mark.parametrize(
    ("data", "score"),
    [(discrete(), "auto"), (discrete(), "bdeu"), (plain(50), "bge"), (plain(50), Own())],
)
def test_a_score_without_alpha_is_refused(data: Any, score: Any) -> None:
    with pytest.raises(OptionError, match="alpha"):
        path(data, score=score)
    with pytest.raises(OptionError, match="alpha"):
        learn(data, score=score, alpha="stars")


@pytest.mark.parametrize("alphas", [[], [0.0], [1.0, -1.0], ["a"], 3.0, "stars", [float("nan")]])
def test_alphas_must_be_numbers_above_zero(alphas: Any) -> None:
    with pytest.raises(OptionError, match="alpha"):
        path(plain(50), alphas=alphas)


@pytest.mark.parametrize(
    ("by", "options", "what"),
    [
        ("bic", {}, "by must be"),
        (None, {}, "by must be"),
        ("stars", {"folds": 3}, "folds must be left out"),
        ("cv", {"gamma": 1.0}, "gamma must be left out"),
        ("cv", {"folds": 1}, "folds must be"),
        ("stars", {"draws": 1.5}, "draws must be"),
        ("stars", {"threshold": 0.6}, "threshold must be"),
        ("ebic", {"gamma": -1}, "gamma must be"),
    ],
)
def test_options_of_a_choice_are_checked(by: Any, options: Any, what: str) -> None:
    found = path(plain(50), alphas=[2])
    with pytest.raises(OptionError, match=what):
        found.select(by, **options)


@pytest.mark.parametrize(
    ("data", "options", "what"),
    [
        (mixed(), {"score": "conditional-gaussian"}, "conditional-gaussian"),
        (plain(300).mask(np.eye(300, 5, dtype=bool)), {"missing": "em"}, "missing"),
        (plain(300).assign(t=["", "a", ""] * 100), {"interventions": "t"}, "experiments"),
    ],
)
def test_held_out_rows_without_a_probability_are_refused(
    data: Any, options: Any, what: str
) -> None:
    with pytest.raises(OptionError, match=what):
        learn(data, alpha="cv", **options)


def test_moments_have_no_rows_and_few_rows_no_folds() -> None:
    found = path(Moments.from_data(plain(50)), alphas=[2])
    with pytest.raises(DataError, match="choose alpha by 'ebic'"):
        found.select("stars")
    assert found.select("ebic").settings["alpha"] == 2.0
    with pytest.raises(DataError, match="7 rows cannot be divided into 10 folds"):
        path(table(7, 3), alphas=[2]).select("cv")


def test_a_time_limit_ends_a_path_and_a_choice() -> None:
    data = table(2000, 60)
    with pytest.raises(TimeLimitError):
        learn(data, alpha="cv", time_limit=0.3)
    with pytest.raises(TimeLimitError):
        path(data, alphas=[2]).select("cv", time_limit=0.0)
    with pytest.raises(TimeLimitError):
        path(data, alphas=[1e-3], time_limit=0.3)
    # The first search ends at once, with no edge; the other takes many seconds.
    found = path(data, alphas=[1e-3, 1e6], time_limit=0.5)
    assert found.alphas.tolist() == [1e6]
    assert found.stopped == "time limit"
    assert found.notes[-1].code == "time-limit"


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_keeps_the_classes_found_so_far(jobs: int) -> None:
    reports = []

    def stop(done: Any) -> None:
        reports.append(done)
        if done.searches == 2:
            raise KeyboardInterrupt

    with pytest.raises(SearchInterrupted) as raised:
        path(table(), alphas=ALPHAS, progress=stop, n_jobs=jobs)
    found = raised.value.result
    assert isinstance(found, Path)
    assert len(found.results) == 2 and found.stopped == "interrupt"
    assert reports[0].total == len(ALPHAS) + 2 * (len(ALPHAS) - 1)
    with pytest.raises(KeyboardInterrupt):
        path(table(), alphas=ALPHAS).select("stars", progress=stop, n_jobs=jobs)

"""The additive BIC: what it is computed from, what it says, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from greedag import CollinearError, DataError, DataTypeError, Moments, OptionError
from greedag._options import DataOptions
from greedag.scores import AdditiveBIC, DegenerateGaussian, GaussianBIC
from greedag.scores.select import SCORES, checked_score, prepare, restored
from greedag.statistics.basis import BasisMoments
from greedag.statistics.mixed import MixedTable
from oracle.additive import AdditiveTwin

PARENTS = [(0, ()), (1, (0,)), (0, (1,)), (2, (0, 1)), (1, (0, 2, 3)), (3, (0, 1)), (3, (4,))]


def curved(n: int = 600, *, seed: int = 0) -> pd.DataFrame:
    """Return x → y → z, bent, beside a straight effect and noise."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    y = np.tanh(2.0 * x) + 0.5 * rng.standard_normal(n)
    z = y**2 + 0.5 * rng.standard_normal(n)
    line = x + rng.standard_normal(n)
    return pd.DataFrame({"x": x, "y": y, "z": z, "line": line, "noise": rng.standard_normal(n)})


def mixed(n: int = 600) -> pd.DataFrame:
    frame = curved(n)
    frame["line"] = pd.cut(frame["line"], [-9.0, -0.5, 0.7, 9.0], labels=list("abc")).astype(str)
    frame["noise"] = np.where(frame["noise"] > 0.0, "up", "down")
    return frame


@pytest.mark.parametrize("made", [curved, mixed])
def test_it_scores_as_its_definition_does(made: object) -> None:
    frame = made()  # type: ignore[operator]
    counted = BasisMoments.from_data(frame)
    gram, starts, steps = counted.correlation()
    plain, plain_starts = counted.embedded()
    responses = [basis.size if basis.kind == "discrete" else 1 for basis in counted.bases]
    logs = np.add.reduceat(plain.log_variances, plain_starts[:-1])
    twin = AdditiveTwin(gram, starts, steps, responses, logs.tolist(), counted.n, 2.0)
    engine = AdditiveBIC().bind(counted)
    for y, parents in PARENTS:
        assert engine.local_score(y, [*parents]) == pytest.approx(
            twin.local_score(y, parents), rel=1e-9
        )


def test_without_curves_it_is_the_gaussian_bic_of_the_table() -> None:
    frame = curved()
    counted = BasisMoments.from_data(frame)
    linear = AdditiveBIC(alpha=1.5).linear(counted)
    expected = GaussianBIC(alpha=1.5).bind(Moments.from_data(frame))
    additive = AdditiveBIC(alpha=1.5).bind(counted)
    for y, parents in PARENTS:
        score = expected.local_score(y, [*parents])
        assert linear.local_score(y, [*parents]) == pytest.approx(score, rel=1e-9)
        assert additive.local_score(y, [*parents]) >= score - 1e-6


def test_without_curves_it_is_the_degenerate_gaussian_of_a_mixed_table() -> None:
    frame = mixed()
    linear = AdditiveBIC().linear(BasisMoments.from_data(frame))
    expected = DegenerateGaussian().bind(MixedTable.from_data(frame))
    for y, parents in PARENTS:
        score = expected.local_score(y, [*parents])
        assert linear.local_score(y, [*parents]) == pytest.approx(score, rel=1e-9)


def test_few_rows_have_no_curves_and_the_gaussian_score() -> None:
    frame = curved(40)
    counted = BasisMoments.from_data(frame)
    assert counted.starts == [0, 1, 2, 3, 4, 5]
    additive, gaussian = AdditiveBIC().bind(counted), GaussianBIC().bind(Moments.from_data(frame))
    for y, parents in PARENTS:
        assert additive.local_score(y, [*parents]) == pytest.approx(
            gaussian.local_score(y, [*parents]), rel=1e-9
        )


def test_units_change_the_score_as_they_change_the_density() -> None:
    frame = curved()
    one = AdditiveBIC().bind(BasisMoments.from_data(frame))
    other = AdditiveBIC().bind(BasisMoments.from_data(frame.assign(y=1000.0 - 1e-3 * frame["y"])))
    shift = len(frame) * np.log(1e3)
    assert other.local_score(1, [0]) == pytest.approx(one.local_score(1, [0]) + shift, rel=1e-9)
    assert other.local_score(2, [1]) == pytest.approx(one.local_score(2, [1]), rel=1e-6)


def test_curves_tell_the_direction_of_a_bent_effect_and_not_of_a_straight_one() -> None:
    margins = {"y": [], "line": []}  # type: dict[str, list[float]]
    for seed in range(10):
        frame = curved(1000, seed=seed)
        for name, found in margins.items():
            pair = AdditiveBIC().bind(BasisMoments.from_data(frame[["x", name]]))
            forward = pair.local_score(0, []) + pair.local_score(1, [0])
            found.append(forward - pair.local_score(1, []) - pair.local_score(0, [1]))
    assert min(margins["y"]) > 20.0
    assert np.abs(margins["line"]).max() < 5.0


def test_it_is_a_score_by_name_with_its_facts() -> None:
    score = checked_score("additive", 3.0)
    assert score == AdditiveBIC(alpha=3.0)
    assert SCORES["additive"] is AdditiveBIC
    assert restored({"score": "additive", "alpha": 1.0}) == AdditiveBIC(1.0)
    assert not AdditiveBIC.is_equivalent and GaussianBIC.is_equivalent
    with pytest.raises(OptionError, match="alpha"):
        AdditiveBIC(alpha=-1.0)


@pytest.mark.parametrize("made", [curved, mixed])
def test_tables_and_files_are_prepared_alike(tmp_path: Path, made: object) -> None:
    frame = made()  # type: ignore[operator]
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    score, prepared = prepare(frame, AdditiveBIC())
    _, read = prepare(str(path), AdditiveBIC())
    assert isinstance(score, AdditiveBIC)
    assert isinstance(prepared.statistics, BasisMoments)
    assert read.statistics.bases == prepared.statistics.bases
    np.testing.assert_allclose(
        read.statistics.moments.correlation, prepared.statistics.moments.correlation, atol=1e-9
    )
    assert prepared.settings["kinds"] == dict(
        zip(frame.columns, prepared.statistics.kinds, strict=True)
    )


def test_options_of_the_table_go_through() -> None:
    frame = curved()
    frame.loc[0, "x"] = np.nan
    with pytest.raises(DataError, match="missing"):
        prepare(frame, AdditiveBIC())
    options = DataOptions(missing="drop", kinds={"x": "continuous"}, drop=["noise"])
    _, prepared = prepare(frame, AdditiveBIC(), options=options)
    assert (prepared.statistics.n, prepared.statistics.names) == (599, ("x", "y", "z", "line"))
    with pytest.raises(OptionError, match="EM is for linear models"):
        prepare(frame, AdditiveBIC(), options=DataOptions(missing="em"))


def test_moments_of_curves_are_scored_by_it_and_nothing_else() -> None:
    counted = BasisMoments.from_data(curved())
    assert prepare(counted, None)[0] == AdditiveBIC()
    assert prepare(counted, None, 1.0)[0] == AdditiveBIC(1.0)
    assert prepare(counted, AdditiveBIC())[1].statistics is counted
    with pytest.raises(DataTypeError, match="gaussian-bic needs a table or Moments"):
        prepare(counted, GaussianBIC())
    with pytest.raises(DataTypeError, match="additive needs a table or BasisMoments, got Moments"):
        prepare(Moments.from_data(curved()), AdditiveBIC())


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"x": 1.0}, DataError, "constant"),
        ({"x": lambda t: 3.0 * t["line"]}, CollinearError, "'x'"),
        ({"x": "a"}, DataError, "every row has the same level"),
    ],
)
def test_columns_that_say_nothing_are_refused(
    change: dict[str, object], error: type[DataError], message: str
) -> None:
    frame = curved().assign(**change)
    with pytest.raises(error, match=message):
        AdditiveBIC().bind(BasisMoments.from_data(frame))

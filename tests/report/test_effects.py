"""Reports of results whose members score differently: small curves, marks, words that fit."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from greedag import Result, learn
from helpers.reports import data_of, text_of


@cache
def found(*, discrete: bool) -> Result:
    rng = np.random.default_rng(5)
    noise = rng.normal(size=(4, 700))
    a, level = noise[0], rng.integers(0, 2, 700)
    b = a**2 + 0.5 * noise[1]
    c = np.tanh(2.0 * b - 2.0) + level * discrete + 0.4 * noise[2]
    data = pd.DataFrame({"a": a, "b": b, "c": c, "d": noise[3]})
    if discrete:
        data["level"] = np.array(["no", "yes"])[level]
    return learn(data, score="additive")


def plain(text: str) -> str:
    return html.unescape(" ".join(re.sub(r"<[^>]*>", " ", text).split()))


@pytest.mark.parametrize("discrete", [False, True])
def test_each_effect_on_a_continuous_column_has_a_small_curve(discrete: bool) -> None:
    result = found(discrete=discrete)
    text = text_of(result)
    shown = re.findall(r'<svg class="spark".*?aria-label="Effect of (\w+) on (\w+)">', text)
    dag, names = result.best_dag, result.cpdag.names
    arcs = {(names[i], names[j]) for i, j in np.argwhere(dag) if names[j] != "level"}
    assert set(shown) == arcs
    assert len(arcs) >= 2
    assert str(result.curve("a", "b")) in plain(text)


def test_edges_are_marked_by_what_directs_them_and_the_words_fit() -> None:
    result = found(discrete=False)
    text = text_of(result)
    data, words, names = data_of(text), plain(text), result.cpdag.names
    marked = [data["edges"][int(place)] for place in data["marks"]]
    edges = {(names[edge["from"]], names[edge["to"]]) for edge in marked}
    assert edges == set(result.graph.by_evidence)
    assert set(data["marks"].values()) == {"curve"}
    assert "Beyond what the class itself directs, curves direct 2 edges." in words
    assert "Edges with a dot are directed by curves" in words
    assert "the best DAG found with the edge turned" in words
    assert "went from DAG to DAG" in words
    assert "Score of the best DAG" in words
    for wrong in ("equally well", "custom score", "No valid step", "diamond"):
        assert wrong not in words
    assert 'score="additive"' in words or "score='additive'" in words


def test_columns_are_listed_with_what_is_known_of_them() -> None:
    continuous, mixed = (plain(text_of(found(discrete=each))) for each in (False, True))
    assert "Variance inflation" in continuous
    assert "700 rows of 4 continuous and 1 discrete column." in mixed


def test_without_data_marks_are_kept_and_curves_left_out() -> None:
    text = text_of(replace(found(discrete=False), statistics=None))
    assert 'class="spark"' not in text
    assert set(data_of(text)["marks"].values()) == {"curve"}
    assert "dot: directed by a curve" in plain(text)


def test_other_results_say_nothing_of_curves() -> None:
    rows = np.random.default_rng(0).normal(size=(100, 3))
    text = text_of(learn(rows))
    assert "spark" not in text.partition("<body>")[2].partition("<script")[0]

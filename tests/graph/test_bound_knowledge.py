"""Knowledge of the columns of a table: patterns resolved, contradictions found and named."""

from __future__ import annotations

import time
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from greedag import CPDAG, MPDAG, Knowledge, KnowledgeError, _core
from greedag.graph.knowledge import Statement
from helpers.hostile_names import HOSTILE_NAMES
from oracle import brute_force as bf
from oracle.said_knowledge import Pairs, fulfils, in_two_tiers

COLUMNS = tuple("abcdef")


def error_of(said: dict[str, Any], names: tuple[str, ...] = COLUMNS) -> KnowledgeError:
    with pytest.raises(KnowledgeError) as caught:
        Knowledge(**said).bind(names)
    return caught.value


CONFLICTS: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    "a cycle": (
        {"required": [("a", "b"), ("b", "c"), ("c", "a"), ("a", "d")]},
        "knowledge-cycle",
        ["b → c is required", "c → a is required", "a → b is required"],
    ),
    "both ways": (
        {"required": [("a", "b"), ("b", "a")]},
        "knowledge-cycle",
        ["b → a is required", "a → b is required"],
    ),
    "forbidden": (
        {"required": [("a", "b")], "forbidden": [("a", "*")]},
        "knowledge-required-forbidden",
        ["a → b is required", "a → * is forbidden"],
    ),
    "exogenous": (
        {"required": [("a", "b")], "exogenous": ["b"]},
        "knowledge-required-forbidden",
        ["a → b is required", "b is exogenous"],
    ),
    "terminal": (
        {"required": [("a", "b")], "terminal": ["[ac]"]},
        "knowledge-required-forbidden",
        ["a → b is required", "[ac] is terminal"],
    ),
    "not adjacent": (
        {"required": [("a", "b")], "not_adjacent": [("b", "a")]},
        "knowledge-required-forbidden",
        ["a → b is required", "b and a are not adjacent"],
    ),
    "within a tier": (
        {"required": [("a", "b")], "tiers": "a, b < c", "forbidden_within": [0]},
        "knowledge-required-forbidden",
        ["a → b is required", "no edges within tier 0: a, b"],
    ),
    "within a group": (
        {"required": [("a", "b")], "forbidden_within": [["c", "b", "a"]]},
        "knowledge-required-forbidden",
        ["a → b is required", "no edges among c, b, a"],
    ),
    "an earlier tier": (
        {"required": [("b", "a")], "tiers": "a < b"},
        "knowledge-order",
        ["b → a is required", "tiers: a < b"],
    ),
    "an earlier tier by a path": (
        {"required": [("c", "d"), ("d", "e"), ("e", "a")], "tiers": "a < b < c"},
        "knowledge-order",
        ["c → d is required", "d → e is required", "e → a is required", "tiers: a < b < c"],
    ),
    "before": (
        {"required": [("b", "a")], "before": [("a", "b")]},
        "knowledge-order",
        ["b → a is required", "a comes before b"],
    ),
    "before, by a path": (
        {"required": [("b", "c"), ("c", "a")], "before": [("a", "b")]},
        "knowledge-order",
        ["b → c is required", "c → a is required", "a comes before b"],
    ),
}


@pytest.mark.parametrize(("said", "code", "sentences"), CONFLICTS.values(), ids=CONFLICTS)
def test_statements_that_contradict_each_other_are_named(
    said: dict[str, Any], code: str, sentences: list[str]
) -> None:
    error = error_of(said)
    assert error.code == code
    assert list(map(str, error.statements)) == sentences
    assert all(f'"{sentence}"' in str(error) for sentence in sentences)
    assert str(error).startswith("the knowledge contradicts itself: ")
    assert set(error.columns) <= set(COLUMNS) and len(error.columns) >= 2


def test_orders_that_contradict_nothing_required_are_none() -> None:
    known = Knowledge(before=[("a", "b"), ("b", "a")], tiers="c < a", required=[("a", "d")])
    assert known.bind(COLUMNS).before.keys() == {(0, 1), (1, 0)}


UNFIT: dict[str, tuple[dict[str, Any], str, str]] = {
    "an unknown column": (
        {"required": [("smokin", "tar")]},
        "knowledge-unknown-column",
        r'"smokin → tar is required".*no column \'smokin\' \(did you mean \'smoking\'\?\)',
    ),
    "in a tier": ({"tiers": "tar < Tar"}, "knowledge-unknown-column", "no column 'Tar'"),
    "a pattern": (
        {"exogenous": ["T*"]},
        "knowledge-no-match",
        r'in the knowledge "T\* is exogenous" the pattern \'T\*\' matches no column',
    ),
    "itself": (
        {"required": [("tar", "tar")]},
        "knowledge-self",
        '"tar → tar is required" speaks of one column only',
    ),
    "itself by patterns": ({"before": [("ta?", "t*")]}, "knowledge-self", "one column only, 'tar'"),
    "a group of one": (
        {"forbidden_within": ["tar", "smoking"]},
        "knowledge-self",
        r"write a group as a list within the list: forbidden_within=\[\['a', 'b'\]\]",
    ),
    "two tiers": (
        {"tiers": "tar, age < tar"},
        "knowledge-two-tiers",
        r"column 'tar' is in two tiers, 0 and 1 \(counting from 0\)",
    ),
    "two tiers by patterns": ({"tiers": "t* < *"}, "knowledge-two-tiers", "column 'tar' is in two"),
}


@pytest.mark.parametrize(("said", "code", "message"), UNFIT.values(), ids=UNFIT)
def test_what_does_not_fit_the_columns_is_refused(
    said: dict[str, Any], code: str, message: str
) -> None:
    with pytest.raises(KnowledgeError, match=message) as caught:
        Knowledge(**said).bind(("age", "smoking", "tar"))
    assert caught.value.code == code and len(caught.value.statements) == 1


def test_a_name_is_no_pattern_and_puts_a_column_into_its_tier_first() -> None:
    bound = Knowledge(tiers="x[1] < x* < y?", exogenous=["x[1]"]).bind(["x[1]", "x1", "x2", "y1"])
    assert bound.tiers == (0, 1, 1, 2)
    assert bound.statements_against(1, 0)[0].kind == "exogenous"
    assert not bound.forbids(0, 1)


def test_every_name_can_be_spoken_of() -> None:
    names = tuple(name for name in HOSTILE_NAMES if name)
    known = Knowledge(required=[*pairwise(names)], exogenous=names[:1])
    bound = known.bind(names)
    assert set(bound.required) == {(i, i + 1) for i in range(len(names) - 1)}
    error = error_of({"required": [*zip(names, (*names[1:], names[0]), strict=True)]}, names)
    assert error.code == "knowledge-cycle" and len(str(error)) < 1500


def test_statements_behind_an_edge_are_found() -> None:
    known = Knowledge(
        required=[("a", "b")],
        forbidden=[("b", "a"), ("[bc]", "a")],
        tiers="a < b, c",
        before=[("a", "c"), ("d", "e")],
        not_adjacent=[("e", "f")],
    )
    bound = known.bind(COLUMNS)
    sentences = lambda said: [str(one) for one in said]  # noqa: E731
    assert sentences(bound.statements_for(0, 1)) == [
        "a → b is required",
        "b → a is forbidden",
        "[bc] → a is forbidden",
        "tiers: a < b, c",
    ]
    assert bound.statements_for(0, 1) == bound.statements_against(1, 0)
    assert sentences(bound.statements_for(0, 2)) == [
        "[bc] → a is forbidden",
        "a comes before c",
        "tiers: a < b, c",
    ]
    # An edge anywhere on a path from c to a, directed because c must not be an ancestor of a.
    assert sentences(bound.statements_for(3, 2, 0, 2)) == ["a comes before c", "tiers: a < b, c"]
    assert sentences(bound.statements_for(5, 4, 3, 4)) == ["d comes before e"]
    assert bound.forbids(4, 5) and bound.forbids(5, 4) and bound.forbids(4, 3)
    assert not bound.forbids(0, 1) and bound.statements_against(0, 1) == ()


def test_bound_knowledge_can_leave_out_a_statement() -> None:
    known = Knowledge(tiers="a < *", forbidden_within=[1], required=[("a", "b")])
    bound = known.bind(tuple("abc"))
    rest = bound.without(known.statements[1])
    # b → a would still turn the required arc around; c → a has nothing against it.
    assert rest.tiers == () and rest.forbids(1, 0) and not rest.forbids(2, 0)
    assert rest.forbids(2, 1)
    assert bound.without(Statement("required", ("a", "b"))).required == {}
    while bound.statements:
        count = len(bound.statements)
        bound = bound.without(bound.statements[0])
        assert len(bound.statements) == len(bound.knowledge.statements) == count - 1
    assert not any(bound.forbids(i, j) for i in range(3) for j in range(3))
    bound = known.bind(tuple("abc"))
    assert repr(bound) == "<Knowledge: 1 required, tiers, 1 forbidden within, bound to 3 columns>"


def test_a_class_that_no_statement_fits_names_the_fewest() -> None:
    class_ = CPDAG.from_dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], names=["a", "b", "c"])
    # Once the tiers are gone, the pattern must not match a, which would contradict a → b.
    known = Knowledge(tiers="a < *", forbidden_within=[1], required=[("a", "b")])
    said = "what is known: no edges within tier 1: \\*; leave out"
    with pytest.raises(KnowledgeError, match=said):
        MPDAG.from_cpdag(class_, knowledge=known)


NAMES = ("x1", "x2", "y1", "y2")
WORDS = (*NAMES, *NAMES, "x*", "?1", "*", "[xy]2")


@cache
def dags() -> tuple[tuple[int, Pairs, Pairs], ...]:
    """Return all DAGs on four nodes, each with its arcs and its ancestors, by name."""
    found = []
    for dag in bf.all_dags(4):
        above = bf.ancestry(4, dag)
        cells = [(i, j) for i in range(4) for j in range(4)]
        found.append(
            (
                dag,
                frozenset((NAMES[i], NAMES[j]) for i, j in cells if bf.has(4, dag, i, j)),
                frozenset((NAMES[i], NAMES[j]) for i, j in cells if bf.has(4, above, i, j)),
            )
        )
    return tuple(found)


def random_said(rng: Generator) -> dict[str, list[Any]]:
    def words(count: int) -> list[str]:
        return [str(word) for word in rng.choice(WORDS, count)]

    def pairs(most: int) -> list[list[str]]:
        drawn = [words(2) for _ in range(rng.integers(0, most))]
        return [pair for pair in drawn if pair[0] != pair[1]]

    tiers = [words(int(k)) for k in rng.integers(1, 3, rng.integers(0, 4) * rng.integers(0, 2))]
    groups: list[Any] = [words(2) for _ in range(rng.integers(0, 2))]
    if tiers and rng.random() < 0.3:
        groups.append(int(rng.integers(0, len(tiers))))
    return {
        "required": [
            [str(name) for name in rng.choice(NAMES, 2, replace=False)]
            for _ in range(rng.integers(0, 5))
        ],
        "forbidden": pairs(2),
        "tiers": tiers,
        "forbidden_within": groups if rng.random() < 0.3 else [],
        "before": pairs(3),
        "exogenous": words(int(rng.random() < 0.2)),
        "terminal": words(int(rng.random() < 0.2)),
        "not_adjacent": pairs(2) if rng.random() < 0.3 else [],
    }


def test_contradictions_are_found_exactly_where_no_dag_fulfils_what_is_said() -> None:
    rng = np.random.default_rng(16)
    classes = [
        (_core.cpdag_of_dag(bf.to_matrix(4, members[0])), members)
        for members in bf.atlas(4).members
    ]
    counts: Counter[str] = Counter()
    for _ in range(200):
        said = random_said(rng)
        try:
            bound = Knowledge(**said).bind(NAMES)
            code = ""
        except KnowledgeError as error:
            code = error.code
        if code == "knowledge-self":
            continue
        counts[code] += 1
        assert in_two_tiers(said, NAMES) == (code == "knowledge-two-tiers")
        if code == "knowledge-two-tiers":
            continue
        fit = {dag for dag, arcs, above in dags() if fulfils(arcs, above, NAMES, said)}
        assert bool(fit) == (code == "")
        if code == "":
            for cpdag, members in classes:
                found = _core.orient(cpdag, bound.engine)
                assert (found is None) == fit.isdisjoint(members)
    assert min(counts.values()) >= 5 and len(counts) == 5


@pytest.mark.clock
def test_knowledge_of_thousands_of_columns_is_bound_in_well_under_a_second() -> None:
    names = [f"v{i}" for i in range(2000)]
    tiers = [names[start : start + 100] for start in range(0, 2000, 100)]
    chain = [*pairwise(names)]
    for said in (
        {"tiers": tiers, "required": chain, "before": [(names[0], name) for name in names[1:]]},
        {"tiers": [f"v{i}*" for i in range(1, 10)], "forbidden": [("v1*", "v*")]},
        {"forbidden_within": [["v*"]], "exogenous": ["v1*"], "not_adjacent": [("*", "*5")]},
    ):
        start = time.process_time()
        Knowledge(**said).bind(names)
        assert time.process_time() - start < 0.5
    many = [f"v{i}" for i in range(20_000)]
    start = time.process_time()
    assert Knowledge(tiers=tiers, exogenous=["v7"]).bind(many).engine.size == 20_000
    assert time.process_time() - start < 0.5

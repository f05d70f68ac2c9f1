"""What users say of a graph: read, printed, merged."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from greedag import Knowledge, KnowledgeError
from greedag.graph.knowledge import Statement, coerced
from helpers.hostile_names import HOSTILE_NAMES

EVERYTHING: dict[str, Any] = {
    "required": [["smoking", "tar"]],
    "forbidden": [["cancer", "smoking"], ["lag1_*", "age"]],
    "tiers": [["age", "sex"], ["smoking"], ["cancer"]],
    "forbidden_within": [0, ["lag1_*", "tar"]],
    "before": [["tar", "cancer"]],
    "exogenous": ["age"],
    "terminal": ["cost"],
    "not_adjacent": [["age", "sex"]],
}
SENTENCES = """\
smoking → tar is required
cancer → smoking is forbidden
lag1_* → age is forbidden
tiers: age, sex < smoking < cancer
no edges within tier 0: age, sex
no edges among lag1_*, tar
tar comes before cancer
age is exogenous
cost is terminal
age and sex are not adjacent"""


def test_knowledge_prints_a_sentence_for_each_statement() -> None:
    known = Knowledge(**EVERYTHING)
    assert str(known) == SENTENCES
    assert [str(statement) for statement in known.statements] == SENTENCES.splitlines()
    assert repr(known) == (
        "<Knowledge: 1 required, 2 forbidden, tiers, 2 forbidden within, 1 before, 1 exogenous, "
        "1 terminal, 1 not adjacent>"
    )
    assert (
        str(Knowledge()) == "(no statements)" and repr(Knowledge()) == "<Knowledge: no statements>"
    )


def test_names_in_html_are_escaped_and_long_lists_are_shortened() -> None:
    known = Knowledge(exogenous=[name for name in HOSTILE_NAMES if name], tiers=[list("abcdefgh")])
    shown = known._repr_html_()
    assert "<script" not in shown and "<img" not in shown and "\x1b" not in shown
    assert "tiers: a, b, c, d, … (3 more), h" in shown
    assert max(map(len, map(str, known.statements))) < 80
    assert Knowledge()._repr_html_() == "<p>(no statements)</p>"


@pytest.mark.parametrize(
    "tiers",
    [
        [["age", "sex"], ["smoking"], ["cancer"]],
        [("age", "sex"), "smoking", [], {"cancer"}],
        {"cancer": 9, "age": -1, "smoking": 2.5, "sex": -1},
        "age, sex < smoking < cancer",
        ' age,"sex"<smoking<cancer ',
    ],
)
def test_tiers_may_be_lists_numbers_or_text(tiers: Any) -> None:
    assert Knowledge(tiers=tiers) == Knowledge(tiers=EVERYTHING["tiers"])


def test_quotes_keep_commas_and_signs_of_names_in_the_text_of_tiers() -> None:
    assert Knowledge(tiers='"a, b" < "c<d", "e""f"').tiers == (("a, b",), ("c<d", 'e"f'))


def test_numbers_name_columns_and_tiers() -> None:
    known = Knowledge(required=[(0, np.int64(1))], tiers={2: 10, 3: 20}, forbidden_within=[20])
    assert known.required == (("0", "1"),)
    assert known.tiers == (("2",), ("3",)) and known.forbidden_within == (1,)
    # A list is numbered from 0, and so is what follows an empty tier.
    assert Knowledge(tiers=[["a"], [], ["b"]], forbidden_within=[1, 2]).forbidden_within == (1,)


def test_order_matters_only_where_it_says_something() -> None:
    one = Knowledge(required=[("a", "b"), ("c", "d")], not_adjacent=[("a", "b")], tiers=["ab", "c"])
    other = Knowledge(
        not_adjacent=[("b", "a"), ("a", "b")], tiers=["ab", "c"], required=[("c", "d"), ("a", "b")]
    )
    assert one == other and hash(one) == hash(other) and len(other.not_adjacent) == 1
    assert Knowledge(tiers=[["a", "b"], ["c"]]) == Knowledge(tiers=[["b", "a"], ["c"]])
    assert Knowledge(tiers="a < b") != Knowledge(tiers="b < a")
    assert Knowledge(required=[("a", "b")]) != Knowledge(required=[("b", "a")])
    assert Knowledge(required=[("a", "b")]) != Knowledge(forbidden=[("a", "b")])
    assert one != "a"


def test_knowledge_is_true_if_it_says_anything_and_survives_copies() -> None:
    known = Knowledge(**EVERYTHING)
    assert known and not Knowledge()
    assert pickle.loads(pickle.dumps(known)) == copy.deepcopy(known) == known
    assert known.to_dict() == EVERYTHING and Knowledge().to_dict() == {}
    with pytest.raises(AttributeError):
        known.required = ()  # type: ignore[misc]


def test_every_statement_can_be_left_out_by_itself() -> None:
    known = Knowledge(**EVERYTHING)
    for statement in known.statements:
        rest = known.without(statement)
        sentences = set(map(str, known.statements)) - {str(statement)}
        if statement.kind == "tiers":
            # The group remains, but no longer as a tier.
            sentences ^= {"no edges within tier 0: age, sex", "no edges among age, sex"}
        assert set(map(str, rest.statements)) == sentences
    with pytest.raises(KnowledgeError, match="is not among the statements"):
        known.without(Statement("required", ("tar", "smoking")))


def test_merged_knowledge_says_what_both_say() -> None:
    known = Knowledge(**EVERYTHING)
    parts = [
        Knowledge(**{kind: said})
        for kind, said in EVERYTHING.items()
        if kind not in ("tiers", "forbidden_within")
    ]
    merged = Knowledge(tiers=EVERYTHING["tiers"], forbidden_within=EVERYTHING["forbidden_within"])
    for part in parts:
        merged |= part
    assert merged == known == known | known == known | Knowledge() == Knowledge() | known
    with pytest.raises(TypeError):
        known | {"required": []}  # type: ignore[operator]


def test_tiers_merge_if_one_says_all_that_the_other_says() -> None:
    full = Knowledge(tiers="a, b < c < d", forbidden_within=[0])
    part = Knowledge(tiers="b < c, d", forbidden_within=[1])
    # Not the other way round: c and d are in one tier there, which says nothing of them.
    assert (full | part).tiers == full.tiers == (part | full).tiers
    assert (part | full).forbidden_within == (("c", "d"), 0)
    for other in ("c < b", "a < b", "a < e", "a, d < c"):
        with pytest.raises(KnowledgeError, match="neither follows from the other") as caught:
            full | Knowledge(tiers=other)
        assert caught.value.code == "knowledge-tiers" and len(caught.value.statements) == 2


UNREADABLE: dict[str, tuple[dict[str, Any], str]] = {
    "text for pairs": ({"required": "ab"}, r"required: expected pairs such as \[\('a', 'b'\)\]"),
    "a pair alone": ({"required": ("ab", "cd")}, "got 'ab'"),
    "three names": ({"before": [("a", "b", "c")]}, "before: expected pairs"),
    "no name": ({"exogenous": [None]}, "exogenous: expected names of columns, as text; got 'None'"),
    "a truth value": ({"forbidden": [(True, "a")]}, "got 'True'"),
    "an empty name": ({"terminal": [""]}, "terminal: expected names"),
    "a number": ({"required": 5}, "required: expected pairs"),
    "words for numbers": ({"tiers": {"a": "x"}}, "tiers: expected a number for each name"),
    "not a number": ({"tiers": {"a": float("nan")}}, "tiers: expected a number"),
    "a missing name": ({"tiers": "a < , b"}, "cannot read the tiers 'a < , b'"),
    "an open end": ({"tiers": "a <"}, "a name is missing"),
    "an open quote": ({"tiers": '"a < b'}, "a quote is not closed"),
    "no such tier": ({"tiers": "a < b", "forbidden_within": [2]}, "there is no tier 2"),
    "an empty group": ({"forbidden_within": [[]]}, "forbidden_within: expected tiers or lists"),
    "no tiers": ({"forbidden_within": [0]}, r"there is no tier 0; .* \(none\)"),
}


@pytest.mark.parametrize(("said", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_refused(said: dict[str, Any], message: str) -> None:
    with pytest.raises(KnowledgeError, match=message) as caught:
        Knowledge(**said)
    assert caught.value.code == "knowledge-argument"
    assert isinstance(caught.value, ValueError)


def test_knowledge_may_be_given_as_itself_a_mapping_or_nothing() -> None:
    known = Knowledge(**EVERYTHING)
    assert coerced(None) is None and coerced(known) is known
    assert coerced({**EVERYTHING, "tiers": "age, sex < smoking < cancer"}) == known
    assert coerced({"required": None}) == Knowledge()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, "knowledge must be a Knowledge, a mapping of its arguments or the name of a file"),
        ([("a", "b")], "of type list; write Knowledge"),
        ({"require": []}, "knowledge has no part 'require'; its parts are required, forbidden"),
    ],
)
def test_what_is_no_knowledge_is_refused(given: object, message: str) -> None:
    with pytest.raises(KnowledgeError, match=message):
        coerced(given)


def test_an_error_keeps_its_statements_when_a_place_is_put_before_it() -> None:
    with pytest.raises(KnowledgeError) as caught:
        Knowledge(tiers="a < b") | Knowledge(tiers="b < a")
    moved = caught.value.within("line 3: ")
    assert str(moved).startswith("line 3: ") and moved.statements == caught.value.statements

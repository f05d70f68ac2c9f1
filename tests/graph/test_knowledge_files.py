"""Knowledge in files: everything comes back, or the format says why it cannot hold it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greedag import FileError, Knowledge, KnowledgeError, MissingExtraError
from greedag.graph import knowledge_files as files
from greedag.graph.knowledge import coerced
from helpers.hostile_names import HOSTILE_NAMES

EVERYTHING: dict[str, Any] = {
    "required": [["smoking", "tar"]],
    "forbidden": [["cancer", "smoking"], ["lag1_*", "age"]],
    "tiers": [["age", "sex"], ["smoking", "tar"], ["cancer"]],
    "forbidden_within": [0, ["lag1_*", "tar"]],
    "before": [["tar", "cancer"]],
    "exogenous": ["age"],
    "terminal": ["cost"],
    "not_adjacent": [["age", "sex"]],
}
# What Tetrad 7.6.8 writes, and reads from its predecessors.
TETRAD = """\
/knowledge
addtemporal

0*  age sex
1  smoking tar
3  cancer

forbiddirect
cancer cost

requiredirect
smoking tar
"""
TEXTS = {
    "json": (files.to_json, files.from_json),
    "yaml": (files.to_yaml, files.from_yaml),
    "csv": (files.to_csv, files.from_csv),
}

names = st.one_of(
    st.text(min_size=1, max_size=6),
    st.sampled_from([name for name in HOSTILE_NAMES if name]),
    st.sampled_from(["no", "012", "1e3", "null", "~", "0", "12:30", "=1", "'=1", ' "a"', "a, b"]),
)
pairs = st.lists(st.tuples(names, names), max_size=3)
lists = st.lists(names, max_size=3)
knowledge = st.builds(
    Knowledge,
    required=pairs,
    forbidden=pairs,
    tiers=st.lists(names, max_size=4, unique=True).map(lambda found: [found[:1], found[1:]]),
    forbidden_within=st.lists(st.lists(names, min_size=1, max_size=3), max_size=2),
    before=pairs,
    exogenous=lists,
    terminal=lists,
    not_adjacent=pairs,
)


@pytest.mark.parametrize("form", TEXTS)
@given(known=knowledge)
@settings(deadline=None, max_examples=60)
def test_whatever_is_said_comes_back(form: str, known: Knowledge) -> None:
    write, read = TEXTS[form]
    try:
        text = write(known)
    except KnowledgeError as error:
        assert form == "csv" and error.code == "knowledge-format"
        assert re.search("[\0\ud800-\udfff]", "".join(error.columns))
        return
    assert read(text) == known


@pytest.mark.parametrize("suffix", [".json", ".yaml", ".YML", ".csv"])
def test_a_file_holds_every_kind_of_statement(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"known{suffix}"
    known = Knowledge(**EVERYTHING)
    known.save(path)
    assert Knowledge.load(path) == coerced(path) == coerced(str(path)) == known
    Knowledge().save(path)
    assert Knowledge.load(path) == Knowledge()


def test_yaml_is_read_as_people_write_it() -> None:
    text = """
# what is known
tiers: age, sex < smoking < cancer
required:
  - [no, 012]
  - - on
    - 12:30
forbidden_within: [0]
exogenous: age
before:
"""
    assert files.from_yaml(text) == Knowledge(
        tiers="age, sex < smoking < cancer",
        required=[("no", "012"), ("on", "12:30")],
        forbidden_within=[0],
        exogenous=["age"],
    )
    assert files.from_yaml("tiers: {age: 1, cancer: 2}") == Knowledge(tiers="age < cancer")
    assert files.from_yaml("# nothing") == Knowledge()


def test_reading_yaml_without_its_package_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "known.yaml"
    monkeypatch.setitem(sys.modules, "yaml", None)
    Knowledge(tiers="a < b").save(path)
    with pytest.raises(MissingExtraError, match=r'pip install "greedag\[cli\]"'):
        Knowledge.load(path)


def test_a_table_is_read_as_people_write_it() -> None:
    text = '''\
Kind, From, To
required, smoking, tar

tier, age, 1
tier, "income, net", 1
tier, cancer, 5
forbidden_within, "age, ""income, net""",
forbidden_within, , 5
exogenous, age,
'''
    assert files.from_csv(text) == Knowledge(
        required=[("smoking", "tar")],
        tiers=[["age", "income, net"], ["cancer"]],
        forbidden_within=[["age", "income, net"], 1],
        exogenous=["age"],
    )


def test_a_table_keeps_formulas_from_spreadsheets() -> None:
    text = files.to_csv(Knowledge(exogenous=["=cmd|' /C calc'!A0"]))
    assert "\"'=cmd" in text


def test_what_tetrad_writes_is_read_and_comes_back() -> None:
    known = Knowledge.from_tetrad(TETRAD)
    assert known == Knowledge(
        required=[("smoking", "tar")],
        forbidden=[("cancer", "cost")],
        tiers="age, sex < smoking, tar < cancer",
        forbidden_within=[0],
    )
    assert Knowledge.from_tetrad(known.to_tetrad()) == known
    assert known.to_tetrad() == (
        "/knowledge\naddtemporal\n1* age sex\n2 smoking tar\n3 cancer\n\n"
        "forbiddirect\ncancer cost\n\nrequiredirect\nsmoking tar\n"
    )
    assert Knowledge.from_tetrad(Knowledge().to_tetrad()) == Knowledge()


def test_groups_and_marks_of_tetrad_are_read() -> None:
    text = """\
addtemporal
1*- a
// a remark
2
3 b c
forbiddengroup
a b
c d
requiredgroup
x y
z
"""
    assert Knowledge.from_tetrad(text) == Knowledge(
        tiers="a < b, c",
        forbidden_within=[0],
        forbidden=[("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")],
        required=[("x", "z"), ("y", "z")],
    )


def test_pairs_and_groups_without_edges_are_arcs_in_tetrad() -> None:
    known = Knowledge(not_adjacent=[("a", "b")], forbidden_within=[["b", "c", "d"]])
    arcs = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("b", "d"), ("d", "b")]
    arcs += [("c", "d"), ("d", "c")]
    assert Knowledge.from_tetrad(known.to_tetrad()) == Knowledge(forbidden=arcs)


@pytest.mark.parametrize(
    "said",
    [
        {"before": [("a", "b")]},
        {"exogenous": ["a"]},
        {"terminal": ["a"]},
        {"required": [("lag1_*", "a")]},
        {"tiers": [["a b"]]},
        {"forbidden": [("forbiddirect", "a")]},
        {"forbidden": [("//a", "a")]},
    ],
)
def test_what_tetrad_cannot_hold_is_refused(said: dict[str, Any], tmp_path: Path) -> None:
    known = Knowledge(**said)
    path = tmp_path / "known.txt"
    with pytest.raises(KnowledgeError, match="cannot be written as Tetrad text") as caught:
        known.save(path)
    assert caught.value.statements == known.statements and not path.exists()


DAMAGED = {
    "json cut short": ("a.json", '{"required": [["a", "b"]', "not valid JSON .*line 1"),
    "json of a list": ("a.json", "[1]", "must hold the parts of knowledge by name"),
    "json of a key twice": ("a.json", '{"tiers": [], "tiers": "a<b"}', "'tiers' comes twice"),
    "json of another part": ("a.json", '{"arcs": []}', "knowledge has no part 'arcs'"),
    "json of a wrong pair": ("a.json", '{"required": [["a"]]}', "required: expected pairs"),
    "json too deep": ("a.json", "[" * 100_000, "not valid JSON"),
    "yaml": ("a.yaml", "required: [a\nb: c", "not valid YAML .*line 2"),
    "yaml of an alias": ("a.yml", "required: &a [[b, c]]\nforbidden: *a", "holds an alias"),
    "yaml of a key twice": ("a.yml", "tiers: a<b\ntiers: b<c", "'tiers' comes twice"),
    "yaml of a list as a key": ("a.yml", "? [a]\n: b", "not valid YAML"),
    "yaml of an object": ("a.yml", "tiers: !!python/object:os.system x", "not valid YAML"),
    "table without header": ("a.csv", "required,a,b\n", "the header must be kind,from,to"),
    "table with a short row": ("a.csv", "kind,from,to\nrequired,a\n", "line 2: 2 cells"),
    "table of an odd kind": ("a.csv", "kind,from,to\n\nneeds,a,b\n", "line 3: unknown kind"),
    "table without a head": ("a.csv", "kind,from,to\nbefore,a,\n", "line 2: before takes from and"),
    "table with a head": ("a.csv", "kind,from,to\nterminal,a,b\n", "leaves to empty"),
    "table without a number": ("a.csv", "kind,from,to\ntier,a,x\n", "'x' is not the number"),
    "table of two tiers": ("a.csv", "kind,from,to\ntier,a,1\ntier,a,2\n", "line 3: 'a' has two"),
    "table with a quote": ("a.csv", 'kind,from,to\n"tier"x,a,1\n', "line 2 is not valid CSV"),
    "tetrad without section": ("a.txt", "/knowledge\na b\n", "line 2: 'a b' is not one of"),
    "tetrad of three names": ("a.txt", "forbiddirect\na b c\n", "line 2: 3 names in forbiddirect"),
    "tetrad of no number": ("a.txt", "addtemporal\nx a\n", "line 2: 'x' is not the number"),
    "tetrad of half a group": ("a.txt", "requiredgroup\na b\n", "second line of a group"),
    "an unknown suffix": ("a.xml", "<a/>", "cannot infer the format .*suffixes .json"),
    "not text": ("a.json", b"\xff\xfe", "is not UTF-8 text"),
    "nothing": ("a.json", "", "is empty"),
}


@pytest.mark.parametrize(("name", "content", "message"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_refused_and_named(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FileError, match=message) as caught:
        Knowledge.load(path)
    assert name in str(caught.value)


def test_tetrad_text_is_known_by_its_first_line_whatever_the_suffix(tmp_path: Path) -> None:
    path = tmp_path / "known.tetrad"
    path.write_text(TETRAD)
    assert Knowledge.load(path) == Knowledge.from_tetrad(TETRAD)


def test_a_file_that_is_missing_or_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no file"):
        coerced(tmp_path / "none.json")
    with pytest.raises(KnowledgeError, match=r"cannot infer the format .*write .json"):
        Knowledge().save(tmp_path / "known.xml")
    with pytest.raises(FileError, match="cannot write"):
        Knowledge().save(tmp_path / "none" / "known.json")

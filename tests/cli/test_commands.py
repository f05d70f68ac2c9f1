"""The commands: what they print and write, exit codes, hostile names, bad options."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from greedag import CPDAG, DataError, Moments, Result, interop, learn, score_graph, simulate
from greedag.cli import main
from greedag.cli.main import CannotWriteError, check_outputs, program
from helpers.hostile_names import HOSTILE_NAMES

DRAWN = simulate.linear_gaussian(6, 1.5, 400, seed=3)
COMMANDS = sorted(program().commands)
GRAPH_SUFFIXES = interop.SUFFIXES


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a table, its true class and what was learned from it."""
    monkeypatch.chdir(tmp_path)
    sizes = ["--d", "6", "--rho", "1.5", "--n", "400", "--seed", "3"]
    assert main(["simulate", *sizes, "--out", "data.csv", "--truth", "truth.json"]) == 0
    assert main(["learn", "data.csv", "--out", "graph.json", "--quiet"]) == 0
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must succeed, and return what it printed."""
    capsys.readouterr()
    assert main(list(arguments)) == 0
    output = capsys.readouterr()
    assert output.err == ""
    return output.out


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 2) -> str:
    """Run a command that must fail, and return its one line."""
    capsys.readouterr()
    assert main(list(arguments)) == code
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("greedag: ")
    assert output.err.count("\n") == 1
    return output.err


def test_simulate_writes_the_table_and_the_truth(folder: Path) -> None:
    assert tuple(Path("data.csv").read_text().split("\n")[0].split(",")) == DRAWN.names
    assert np.array_equal(np.loadtxt("data.csv", delimiter=",", skiprows=1), DRAWN.data)
    assert interop.read("truth.json") == DRAWN.cpdag
    truth = json.loads(Path("truth.json").read_text())
    assert (truth["seed"], truth["n"], truth["rho"]) == (3, 400, 1.5)
    dag = np.zeros((6, 6))
    for a, b in truth["dag"]:
        dag[DRAWN.names.index(a), DRAWN.names.index(b)] = 1
    assert np.array_equal(dag, DRAWN.dag)


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "T.TSV.GZ", "table"])
def test_simulate_writes_what_the_suffix_says(folder: Path, name: str) -> None:
    sizes = ["--d", "6", "--rho", "1.5", "--n", "400", "--seed", "3"]
    assert main(["simulate", *sizes, "--out", name]) == 0
    mark = "\t" if ".tsv" in name.lower() else ","
    before = Path(name).read_bytes()
    text = gzip.decompress(before) if name.lower().endswith(".gz") else before
    table = np.loadtxt(io.BytesIO(text), delimiter=mark, skiprows=1)
    assert np.array_equal(table, DRAWN.data)
    assert main(["simulate", *sizes, "--out", name]) == 0
    assert Path(name).read_bytes() == before


def test_simulate_draws_curves_and_discrete_columns(folder: Path) -> None:
    sizes = ["--d", "6", "--rho", "1.5", "--n", "40", "--seed", "3", "--truth", "curves.json"]
    options = ["--curve", "tanh,square", "--noise", "laplace", "--discrete", "2"]
    assert main(["simulate", *sizes, *options, "--out", "curved.csv"]) == 0
    drawn = simulate.additive(
        6, 1.5, 40, seed=3, curve=["tanh", "square"], noise="laplace", discrete=2
    )
    table = pd.read_csv("curved.csv")
    assert list(table.columns) == list(drawn.names)
    assert isinstance(drawn.data, dict)
    for name, values in drawn.data.items():
        assert table[name].tolist() == values.tolist()
    assert interop.read("curves.json") == drawn.cpdag
    curves = json.loads(Path("curves.json").read_text())["curves"]
    assert {(a, b): curve for a, b, curve in curves} == drawn.curves


def test_simulate_adds_rows_of_experiments(folder: Path) -> None:
    sizes = ["--d", "6", "--rho", "1.5", "--n", "400", "--seed", "3"]
    targets = ["--target", "x1", "--target", "x2, x4"]
    assert main(["simulate", *sizes, *targets, "--out", "lab.csv"]) == 0
    table = pd.read_csv("lab.csv", keep_default_na=False)
    assert table["target"].tolist() == [""] * 400 + ["x1"] * 400 + ["x2,x4"] * 400
    assert np.array_equal(table.iloc[:400, :6], DRAWN.data)
    pooled = simulate.interventions(DRAWN, [["x1"], ["x2", "x4"]], 400, seed=3).pooled
    assert table["x3"].tolist()[400:] == pooled["x3"].tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--curve", "tan"], "did you mean 'tanh'"),
        (["--curve", "sin,,abs"], "curve must be one of"),
        (["--discrete", "few"], "--discrete must be a number of columns or a share; got 'few'"),
        (["--discrete", "7"], "discrete must be a number of columns from 0 to 6"),
        (["--target", "x1,x9"], "target 'x9' is no column"),
    ],
)
def test_simulate_refuses_models_that_there_are_not(
    folder: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ["--d", "6", "--rho", "1.5", "--n", "40", "--seed", "3"]
    assert message in complaint(capsys, "simulate", *sizes, *options, "--out", "none.csv")
    assert not Path("none.csv").exists()


@pytest.mark.parametrize("name", ["t.parquet", "t.csv.zst", "t.npz", "t.json.gz"])
def test_simulate_refuses_other_suffixes(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ["--d", "6", "--rho", "1.5", "--n", "400", "--seed", "3"]
    told = complaint(capsys, "simulate", *sizes, "--out", name)
    assert "name the file .csv, .tsv, .csv.gz or .tsv.gz" in told
    assert not Path(name).exists()


def test_learn_prints_the_result_and_nothing_else(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "learn", "data.csv") == f"{learn(DRAWN.data)}\n"
    assert run(capsys, "learn", "data.csv", "--quiet") == ""


def test_learn_writes_the_whole_result_as_json(folder: Path) -> None:
    options = ["--search", "ges", "--alpha", "3", "--clique-cap", "0", "--jobs", "2"]
    assert main(["learn", "data.csv", *options, "--out", "ges.json"]) == 0
    expected = learn(DRAWN.data, search="ges", alpha=3.0, clique_cap=0)
    assert Result.load("ges.json") == expected


@pytest.mark.parametrize("by", ["stars", "cv", "ebic"])
def test_learn_chooses_alpha_and_says_so(
    folder: Path, by: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = run(capsys, "learn", "data.csv", "--alpha", by)
    expected = learn(DRAWN.data, alpha=by)
    assert printed == f"{expected}\n"
    assert f"note: alpha {expected.settings['alpha']:g} was chosen" in printed


def test_learn_writes_every_format_at_once(folder: Path) -> None:
    paths = [f"graph{suffix}" for suffix in GRAPH_SUFFIXES]
    outs = [part for path in paths for part in ("--out", path)]
    assert main(["learn", "data.csv", *outs, "--quiet"]) == 0
    expected = learn(DRAWN.data).cpdag
    for path in paths:
        found = Result.load(path).cpdag if path.endswith(".json") else interop.read(path)
        assert found == expected


def test_learn_prints_one_json_object_in_plain_ascii(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("data.csv").write_text(Path("data.csv").read_text().replace("x0", "höhe\x7f", 1))
    printed = run(capsys, "learn", "data.csv", "--json")
    assert printed.isascii()
    assert "\x7f" not in printed
    record = json.loads(printed)
    assert record["names"][0] == "höhe\x7f"
    assert record["score"] == learn(DRAWN.data).score
    assert len(record["trace"]) == len(learn(DRAWN.data).trace)
    assert "checksum" not in record


def test_a_report_is_headed_by_the_name_of_its_one_file(folder: Path) -> None:
    def heading(*arguments: str) -> str:
        assert main(["learn", *arguments, "--report", "report.html", "--quiet"]) == 0
        page = Path("report.html").read_text(encoding="utf-8")
        return page[page.index("<h1>") + 4 : page.index("</h1>")]

    Path("a <b>.csv").write_bytes(Path("data.csv").read_bytes())
    assert heading("data.csv") == heading("./data.csv") == "data"
    assert heading("a <b>.csv") == "a &lt;b&gt;"
    assert heading("data.csv", "a <b>.csv") == "Causal graph of 6 columns"
    assert heading("--sql", "FROM 'data.csv'") == "Causal graph of 6 columns"


def test_learn_writes_a_report(folder: Path) -> None:
    assert main(["learn", "data.csv", "--report", "report.html", "--quiet"]) == 0
    page = Path("report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "x5" in page


def test_a_time_limit_is_obeyed_and_noted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, "learn", "data.csv", "--time-limit", "0")
    assert "note: stopped by the time limit of 0 s" in printed


def test_show_lists_every_edge(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cpdag = learn(DRAWN.data).cpdag
    printed = run(capsys, "show", "graph.json")
    assert printed.startswith("xges, alpha 2: 6 columns, 400 rows")
    assert all(f"{a} → {b}" in printed for a, b in cpdag.directed)
    assert all(f"{a} - {b}" in printed for a, b in cpdag.undirected)
    assert run(capsys, "show", "truth.json").startswith("6 columns, ")


def test_show_lists_more_edges_than_a_result_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "complete.json")
    interop.write(path, CPDAG.from_dag(np.triu(np.ones((12, 12)), k=1)))
    assert run(capsys, "show", path).count(" - ") == 66


def test_show_focuses_on_a_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dag = [[0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0] * 5, [0] * 5]
    path = str(tmp_path / "graph.dot")
    interop.write(path, CPDAG.from_dag(dag, names=["a", "b", "c", "d", "e"]))
    assert run(capsys, "show", path, "--focus", "c").splitlines() == [
        "c: parents 2, children 1, undirected 0",
        "a → c",
        "b → c",
        "c → d",
    ]
    assert run(capsys, "show", path, "--focus", "e").count("\n") == 1
    assert "'f'" in complaint(capsys, "show", path, "--focus", "f")


def test_explain_says_what_python_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = learn(DRAWN.data)
    for a, b in [result.cpdag.directed[0], ("x0", "x5"), ("x1", "x2")]:
        printed = run(capsys, "explain", "graph.json", a, b, "--data", "data.csv")
        assert printed == f"{result.explain(a, b)}\n"


def test_effects_are_those_of_python(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = Result.load("graph.json", "data.csv")
    printed = run(capsys, "effect", "graph.json", "x0", "x1", "--data", "data.csv")
    assert printed == f"{result.effect('x0', 'x1')}\n"
    printed = run(capsys, "effect", "graph.json", "x1", "--data", "data.csv", "--level", "0.9")
    assert printed == f"{result.effects(on='x1', level=0.9)!r}\n"
    words = ("--change", "0", "2.5")
    printed = run(capsys, "effect", "graph.json", "x0,x2", "x1", "--data", "data.csv")
    assert printed == f"{result.effect(['x0', 'x2'], 'x1')}\n"
    printed = run(capsys, "effect", "graph.json", "x0", "x1", "--data", "data.csv", *words)
    assert printed == f"{result.effect('x0', 'x1', change=(0, 2.5))}\n"
    run(capsys, "learn", "data.csv", "--hold-out", "0.5", "--out", "half.json")
    printed = run(capsys, "effect", "half.json", "x0", "x1", "--data", "data.csv")
    half = Result.load("half.json", "data.csv")
    assert half.held_out is not None
    assert printed == f"{half.effect('x0', 'x1')}\n"


def test_explain_refuses_other_data_and_files_without_a_result(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savetxt(
        "other.csv", -DRAWN.data[::2], delimiter=",", header="x0,x1,x2,x3,x4,x5", comments=""
    )
    told = complaint(capsys, "explain", "graph.json", "x0", "x1", "--data", "other.csv")
    assert "learned from other data" in told
    told = complaint(capsys, "explain", "truth.json", "x0", "x1", "--data", "data.csv")
    assert "'truth.json' holds a class" in told
    told = complaint(capsys, "explain", "graph.json", "x0", "nosuch", "--data", "data.csv")
    assert "'nosuch'" in told


def test_compare_says_what_python_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = Result.load("graph.json")
    assert run(capsys, "compare", "graph.json", "truth.json") == f"{result.compare(DRAWN.cpdag)}\n"
    assert main(["learn", "data.csv", "--search", "ges", "--out", "ges.json", "--quiet"]) == 0
    other = Result.load("ges.json")
    assert run(capsys, "compare", "graph.json", "ges.json") == f"{result.compare(other)}\n"


def test_compare_takes_a_dag_for_its_class(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = "; ".join(DRAWN.names)
    arrows = "; ".join(
        f"{DRAWN.names[i]} -> {DRAWN.names[j]}" for i, j in np.argwhere(DRAWN.cpdag.to_dag())
    )
    Path("truth.dot").write_text(f"digraph {{ {names}; {arrows} }}")
    assert "--dag, which compare, convert" in complaint(
        capsys, "compare", "graph.json", "truth.dot"
    )
    expected = f"{Result.load('graph.json').compare(DRAWN.cpdag)}\n"
    assert run(capsys, "compare", "graph.json", "truth.dot", "--dag") == expected
    assert "0 reversed" in run(capsys, "compare", "truth.dot", "truth.json", "--dag")


@pytest.mark.parametrize("suffix", GRAPH_SUFFIXES)
def test_every_command_names_the_cycle_of_a_file(
    folder: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    path = f"cycle{suffix}"
    _write_cycle(Path(path), suffix)
    cycle = "it has the cycle 'a' → 'c' → 'd' → 'a'; remove or reverse one of its edges"
    for command in (["compare", path, path], ["show", path], ["convert", path, "graph.dot"]):
        assert f"not a CPDAG: {cycle}" in complaint(capsys, *command)
    for command in (["convert", path, "graph.dot"], ["score", "data.csv", path]):
        assert f"not a DAG: {cycle}" in complaint(capsys, *command, "--dag")


def _write_cycle(path: Path, suffix: str) -> None:
    """Write a → c → d → a and b, by changing b → c in a file that a graph was written to."""
    names = list("abcd")
    dag = CPDAG.from_dag([[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], names)
    interop.write(path, dag)
    if suffix == ".npz":
        cells = dag.to_matrix()
        cells[1, 2], cells[3, 0] = 0, 1
        return np.savez(path, adjacency=cells, names=names)
    text = path.read_text()
    edge = re.search(r"""\["b", "c"\]|b"?( -> | target=|,"directed",| --> )"?c""", text)
    assert edge is not None
    changed = re.sub(r"\bb\b", "d", re.sub(r"\bc\b", "a", edge[0]))
    text = re.sub(r',\s*"checksum".*', "", text.replace(edge[0], changed))
    path.write_text(text)


def test_compare_refuses_graphs_of_other_columns(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    interop.write("other.json", CPDAG.from_dag([[0, 1], [0, 0]], names=["a", "b"]))
    complaint(capsys, "compare", "graph.json", "other.json")


@pytest.mark.parametrize("alpha", [2.0, 0.5])
def test_score_prints_the_score_to_the_last_digit(
    folder: Path, alpha: float, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = run(capsys, "score", "data.csv", "truth.json", "--alpha", str(alpha))
    assert float(printed) == score_graph(DRAWN.data, DRAWN.cpdag, alpha=alpha)


def test_score_reads_only_the_columns_of_the_graph(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pd.read_csv("data.csv")
    table.assign(city="Ulm").to_csv("more.csv", index=False)
    one = run(capsys, "score", "data.csv", "truth.json")
    assert run(capsys, "score", "more.csv", "truth.json") == one


def test_convert_takes_the_class_through_every_format_and_back(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    previous = "graph.json"
    for suffix in (*GRAPH_SUFFIXES, ".json"):
        run(capsys, "convert", previous, f"next{suffix}")
        previous = f"next{suffix}"
    assert interop.read("next.json") == Result.load("graph.json").cpdag


def test_a_dag_is_taken_for_its_class_only_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = str(tmp_path / "dag.dot"), str(tmp_path / "class.json")
    Path(source).write_text("digraph { a -> b; b -> c }")
    complaint(capsys, "convert", source, target)
    assert run(capsys, "convert", source, target, "--dag") == ""
    assert interop.read(target).undirected == (("a", "b"), ("b", "c"))


def hostile_result(folder: Path) -> tuple[str, str, tuple[str, ...]]:
    """Write a table, and a result that joins hostile columns; return both paths and the names."""
    names = [name for name in HOSTILE_NAMES if "\ud800" not in name and name.strip() == name][:34]
    names = [name for name in names if name]
    drawn = simulate.linear_gaussian(len(names), 2.0, 300, seed=1)
    moments = Moments.from_data(drawn.data, names=names)
    moments.save(folder / "hostile.moments")
    learn(moments).save(folder / "hostile.json")
    return str(folder / "hostile.moments"), str(folder / "hostile.json"), tuple(names)


@pytest.mark.parametrize("command", COMMANDS)
def test_hostile_names_never_reach_the_terminal_unescaped(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data, graph, names = hostile_result(tmp_path)
    table = str(tmp_path / "constant.parquet")
    pd.DataFrame(np.ones((30, len(names))), columns=list(names)).to_parquet(table)
    few = ("--draws", "2", "--threshold", "0", "--kind", "parametric")
    runs = {
        "learn": [["learn", data], ["learn", data, "--json"]],
        "stability": [["stability", data, *few, *more] for more in ([], ["--json"])],
        "show": [["show", graph], *(["show", graph, "--focus", name] for name in names)],
        "explain": [["explain", graph, names[0], name, "--data", data] for name in names[1:]],
        "effect": [
            *(["effect", graph, names[0], name, "--data", data] for name in names[1:]),
            ["effect", graph, names[0], "--data", data],
        ],
        "check": [["check", graph, "--data", data, *more] for more in ([], ["--json"])],
        "compare": [["compare", graph, graph]],
        "score": [["score", data, graph]],
        "convert": [["convert", graph, str(tmp_path / "copy.json")]],
        "simulate": [],
        "inspect": [["inspect", table], ["inspect", table, "--json"]],
    }[command]
    # Whatever is wrong is said with the name in it, too.
    wrong = [
        *(["show", graph, f"--focus=no {name}"] for name in names),
        *(["learn", data, f'--drop="{name.replace(chr(34), "")}?"'] for name in names),
        *([command, f"--{name}"] for name in names if "\0" not in name),
    ]
    for arguments in [*runs, *wrong]:
        code = main(arguments)
        output = capsys.readouterr()
        assert code == (0 if arguments in runs else 2)
        for text in (output.out, output.err):
            assert all(line.isprintable() for line in text.split("\n"))
        assert output.err.count("\n") == (0 if arguments in runs else 1)


def test_notes_in_a_foreign_file_are_escaped(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = Result.load("graph.json")
    type(result).save(
        Result(
            **{field: getattr(result, field) for field in result.__dataclass_fields__}
            | {"notes": ("\x1b[2Jgone",)}
        ),
        "hostile.json",
    )
    printed = run(capsys, "show", "hostile.json")
    assert "\x1b" not in printed
    assert "note: \\x1b[2Jgone" in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--alpha", "0"], "alpha must be"),
        (["--alpha", "-1"], "alpha must be"),
        (["--alpha", "nan"], "alpha must be"),
        (["--alpha", "two"], "--alpha"),
        (["--alpha", "stars", "--score", "bge"], "alpha must be left out: bge has none"),
        (["--search", "xgs"], "did you mean 'xges'?"),
        (["--time-limit", "-1"], "--time-limit must be a number of seconds, 0 or more; got"),
        (["--time-limit", "soon"], "--time-limit"),
        (["--clique-cap", "-1"], "--clique-cap must be"),
        (["--clique-cap", "1.5"], "--clique-cap"),
        (["--jobs", "0"], "--jobs must be"),
        (["--jobs", "many"], "--jobs"),
        (["--format", "xlsx"], "--format"),
        (["--columns", "x0,x9"], "there is no column 'x9'"),
        (["--columns", ","], "--columns"),
        (["--drop", "x0,x0"], "--drop names 'x0' twice"),
        (["--drop", "x0,x1,x2,x3,x4,x5"], "no column is left"),
        (["--out", "graph.xyz"], "'.xyz'"),
        (["--out", "graph"], "names no format"),
        (["--out"], "--out"),
        (["--report"], "--report"),
        (["--no-such-option"], "--no-such-option"),
    ],
)
def test_bad_options_of_learn_end_with_code_two_and_one_line(
    folder: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(os.listdir())
    assert message in complaint(capsys, "learn", "data.csv", *options)
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["learn"],
        ["learn", "nosuch.csv"],
        ["show"],
        ["show", "nosuch.json"],
        ["show", "data.csv"],
        ["show", "graph.json", "more.json"],
        ["explain", "graph.json", "x0"],
        ["explain", "graph.json", "x0", "x1"],
        ["explain", "graph.json", "x0", "x0", "--data", "data.csv"],
        ["explain", "graph.json", "x0", "x1", "--data", "nosuch.csv"],
        ["effect", "graph.json"],
        ["effect", "graph.json", "x0", "x1"],
        ["effect", "graph.json", "x0", "x0", "--data", "data.csv"],
        ["effect", "graph.json", "x0", "x1", "--data", "data.csv", "--level", "2"],
        ["effect", "graph.json", "x0", "x1", "--data", "data.csv", "--of", "yes"],
        ["compare", "graph.json"],
        ["compare", "graph.json", "nosuch.json"],
        ["score", "data.csv", "nosuch.json"],
        ["score", "nosuch.csv", "graph.json"],
        ["score", "data.csv", "graph.json", "--alpha", "0"],
        ["score", "data.csv", "graph.json", "--format", "xlsx"],
        ["convert", "graph.json"],
        ["convert", "graph.json", "graph.xyz"],
        ["convert", "graph.xyz", "graph.json"],
        ["convert", "nosuch.json", "graph.dot"],
        ["simulate", "--d", "0", "--rho", "1", "--n", "5", "--seed", "0", "--out", "s.csv"],
        ["simulate", "--d", "x", "--rho", "1", "--n", "5", "--seed", "0", "--out", "s.csv"],
        ["simulate", "--d", "3", "--rho", "-1", "--n", "5", "--seed", "0", "--out", "s.csv"],
        ["simulate", "--d", "3", "--rho", "1", "--n", "5", "--seed", "-2", "--out", "s.csv"],
        ["simulate", "--d", "3", "--rho", "1", "--n", "5", "--seed", "0"],
        ["nosuch"],
        ["--nosuch"],
    ],
    ids=" ".join,
)
def test_wrong_arguments_end_with_code_two_and_one_line(
    folder: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    complaint(capsys, *arguments)
    assert not Path("s.csv").exists()


@pytest.mark.parametrize("option", ["--out", "--report"])
@pytest.mark.parametrize(
    "path", ["nosuch/graph.json", "folder.json", "data.csv/graph.json", "a" * 300 + ".json"]
)
def test_a_file_that_cannot_be_written_is_noticed_before_the_table_is_read(
    folder: Path, option: str, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("folder.json").mkdir()
    told = complaint(capsys, "learn", "nosuch.csv", option, path, code=3)
    assert repr(path) in told


def test_two_outputs_to_one_file_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["learn", "data.csv", "--out", "g.dot", "--out", "./g.dot"]
    assert "twice" in complaint(capsys, *arguments, code=3)


@pytest.mark.parametrize(
    "arguments",
    [
        ["learn", "data.csv", "--out", "data.csv"],
        ["learn", "data.csv", "--report", "./data.csv"],
        ["learn", "data.csv", "--checkpoint", "data.csv"],
        ["learn", "part.csv", "data.csv", "--out", "link.csv"],
        ["learn", "link.csv", "--out", "data.csv"],
        ["learn", "hard.csv", "--out", "data.csv"],
        ["learn", "d*.csv", "--report", "folder/../data.csv"],
        ["learn", "data.csv", "--sql", "SELECT 1 AS a", "--report", "data.csv"],
        ["learn", "--sql", "FROM 'data.csv'", "--report", "data.csv"],
        ["learn", "--sql", "FROM read_csv('./d*.csv') WHERE x0 > 0", "--out", "data.csv"],
        ["convert", "graph.json", "graph.json"],
        ["convert", "graph.json", "folder/../graph.json"],
    ],
    ids=" ".join,
)
def test_a_file_that_is_read_is_never_written(
    folder: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("folder").mkdir()
    Path("part.csv").write_bytes(Path("data.csv").read_bytes())
    Path("link.csv").symlink_to("data.csv")
    Path("hard.csv").hardlink_to("data.csv")
    before = {name: Path(name).read_bytes() for name in ("data.csv", "graph.json")}
    told = complaint(capsys, *arguments, code=3)
    assert f"{arguments[-1]!r} is an input and would be overwritten" in told
    assert before == {name: Path(name).read_bytes() for name in before}


def test_outputs_that_links_lead_to_one_file_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("link.csv").symlink_to("new.csv")
    sizes = ["--d", "6", "--rho", "1.5", "--n", "400", "--seed", "3"]
    for out in ("new.csv", "link.csv"):
        told = complaint(capsys, "simulate", *sizes, "--out", out, "--truth", "link.csv", code=3)
        assert "'link.csv' would be written twice" in told


def test_errors_name_options_and_leave_names_as_they_are(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("dag.dot").write_text("digraph { a -> b; b -> c }")
    assert "pass --dag, which" in complaint(capsys, "convert", "dag.dot", "class.json")
    interop.write("class.json", CPDAG.from_dag([[0, 1], [0, 0]], names=["a", "b"]))
    told = complaint(capsys, "score", "data.csv", "class.json", "--dag")
    assert told.endswith("; leave out --dag\n")
    table = pd.DataFrame(DRAWN.data, columns=DRAWN.names)
    table.iloc[::2].to_csv("other.csv", index=False)
    told = complaint(capsys, "explain", "graph.json", "x0", "x1", "--data", "other.csv")
    assert told.endswith("the same --kinds, --missing, --weights, --transform and --na\n")
    name = "n_jobs, missing='em'"
    table.assign(x0=np.nan).rename(columns={"x0": name}).to_parquet("holes.parquet")
    told = complaint(capsys, "learn", "holes.parquet")
    assert f'column "{name}" holds' in told
    assert "--missing drop leaves out rows with missing values, --missing em estimates" in told


def test_a_result_that_is_converted_to_json_stays_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "convert", "graph.json", "copy.json")
    assert Path("copy.json").read_bytes() == Path("graph.json").read_bytes()
    explained = run(capsys, "explain", "graph.json", "x0", "x1", "--data", "data.csv")
    assert run(capsys, "explain", "copy.json", "x0", "x1", "--data", "data.csv") == explained


def test_a_folder_is_said_to_be_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = complaint(capsys, "learn", ".")
    assert "'.' is a folder; name its files, for example './*.parquet'" in told


def test_a_name_that_a_format_cannot_hold_is_noticed_before_the_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = str(tmp_path / "moments"), str(tmp_path / "graph.graphml")
    Moments.from_data(DRAWN.data, names=["nul\0byte", *"bcdef"]).save(data)
    with pytest.raises(DataError):
        interop.write(out, learn(Moments.load(data)))
    complaint(capsys, "learn", data, "--out", out, "--time-limit", "nan")


def test_unusable_columns_are_named_as_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.csv"
    path.write_text("height,width\n1,5\n2,5\n4,5\n")
    assert "'width'" in complaint(capsys, "learn", str(path))


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_that_names_the_command(command: str) -> None:
    run = CliRunner().invoke(program(), [command, "--help"], prog_name="greedag")
    assert run.exit_code == 0
    assert "Example" in run.output
    assert run.output.count(f"greedag {command} ") >= 2  # its usage and an example


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--help"], ["-h"], []):
        printed = run(capsys, *arguments)
        assert all(f"\n  {command} " in printed for command in COMMANDS)
    assert run(capsys, "--version").startswith("greedag, version ")


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no devices here")
@pytest.mark.parametrize("device", ["/dev/null", "/dev/stdout"])
def test_devices_are_written_to_by_those_who_may_write_nothing_beside_them(
    folder: Path, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    # As it is for a user who is not root, in the folder of devices.
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    check_outputs(device)
    with pytest.raises(CannotWriteError, match="Permission denied"):
        check_outputs(str(folder / "report.html"))

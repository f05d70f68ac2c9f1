"""The documentation can be followed literally, answers what newcomers ask, and builds."""

from __future__ import annotations

import importlib.util
import os
import re
import runpy
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

import pytest

import greedag
from greedag import interop, scores
from helpers.doc_pages import blocks_of, renew_page, run_page
from helpers.paths import ROOT

DOCS = ROOT / "docs"
# Files that pages read, by their names.
DATA = DOCS / "data"
PAGES = sorted(page for folder in (".", "howto", "design") for page in (DOCS / folder).glob("*.md"))
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
API = (DOCS / "api" / "index.rst").read_text(encoding="utf-8")
# Blocks of these are not Python and not commands of ours.
SHOWN_ONLY = {"text", "bibtex", "r", "{toctree}", "{glossary}", "{command-help}", "{results}", ""}
QUESTIONS = (
    "Which way does the matrix read?",
    "What is an undirected edge?",
    "Which alpha?",
    "How do I give it a covariance?",
    "Why is my column refused?",
    "How do I cite it?",
)
BUILDERS = ("sphinx", "pydata_sphinx_theme", "myst_parser", "numpydoc", "sphinx_gallery")


def page_name(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_python_of_every_page_prints_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    if os.environ.get("RENEW_DOCS"):
        renew_page(page)
    run_page(page)


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_of_every_page_run_in_order(page: Path, tmp_path: Path) -> None:
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    programs = Path(sys.executable).parent
    commands = [block.text for block in blocks_of(page) if block.language == "sh"]
    if commands and not (programs / "greedag").exists():
        pytest.skip("greedag is not installed as a command")
    for text in commands:
        run = subprocess.run(
            ["sh", "-e", "-c", text],
            cwd=tmp_path,
            env=os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, f"{text}\n{run.stdout}\n{run.stderr}"
        assert run.stderr == ""


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_block_of_a_page_is_run_or_shows_no_code_of_ours(page: Path) -> None:
    languages = {block.language for block in blocks_of(page)}
    assert languages <= {"python", "pycon", "sh", "{drawing}"} | SHOWN_ONLY


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_runs(
    example: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # Examples are run in their folder, and read data beside it.
    shutil.copytree(DATA, tmp_path / "docs" / "data")
    (tmp_path / "examples").mkdir()
    monkeypatch.chdir(tmp_path / "examples")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    plt = pytest.importorskip("matplotlib.pyplot")
    runpy.run_path(str(example), run_name="__main__")
    drawn = plt.get_fignums()
    plt.close("all")
    assert drawn or capsys.readouterr().out


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_first_question_is_one_click_from_the_front_page(question: str) -> None:
    anchor = anchor_of(question)
    assert f"[{question}](faq.md#{anchor})" in (DOCS / "index.md").read_text(encoding="utf-8")
    assert f"## {question}\n" in (DOCS / "faq.md").read_text(encoding="utf-8")


def test_the_citation_names_the_version() -> None:
    assert f"version = {{{greedag.__version__}}}" in read("faq.md")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {greedag.__version__}\n" in citation


def test_every_public_name_has_an_entry_in_the_api() -> None:
    listed = set(re.findall(r"^   (\w[\w.]*)$", API, flags=re.MULTILINE))
    modules = set(re.findall(r"automodule:: greedag\.(\w+)$", API, flags=re.MULTILINE))
    data = set(re.findall(r"py:data:: (\w+)$", API, flags=re.MULTILINE))
    assert set(greedag.__all__) <= listed | modules | data
    assert set(scores.__all__) | set(interop.__all__) <= listed


def test_every_command_has_its_help_on_the_page() -> None:
    from greedag.cli.main import program

    shown = re.findall(r"^```\{command-help\} (\w+)$", read("howto/command-line.md"), re.MULTILINE)
    assert sorted(shown) == sorted(program().commands)


def test_files_and_functions_of_the_table_from_paper_to_code_exist() -> None:
    rows = read("design/paper-to-code.md").splitlines()
    cells = [row.split("|")[2] for row in rows if row.startswith("| ") and "`" in row]
    assert len(cells) > 30
    for cell in cells:
        for part in cell.split(";"):
            file, *names = re.findall(r"`([^`]+)`", part)
            if file.startswith("greedag."):
                assert hasattr(greedag, file.removeprefix("greedag."))
                continue
            path = ROOT / (file if file.startswith("src/") else f"src/core/{file}")
            sources = [path, path.with_suffix(".hpp")]
            text = "".join(p.read_text(encoding="utf-8") for p in sources if p.exists())
            assert text, f"there is no {file}"
            for name in names:
                assert re.search(rf"\b{name.split('::')[-1]}\b", text), f"{file} has no {name}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_between_pages_resolve(page: Path) -> None:
    prose = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)]+)\)", prose):
        if urlsplit(target).scheme:
            continue
        path, _, anchor = target.partition("#")
        if path.startswith(("gallery/", "../gallery/")):
            assert path.endswith("/index") or (ROOT / "examples" / f"{Path(path).name}.py").exists()
            continue
        file = (page.parent / path) if path else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor and path:
            assert anchor in anchors_of(file), f"{page.name} links to {target}"


def test_links_of_the_built_pages_resolve_and_load_nothing_from_elsewhere(tmp_path: Path) -> None:
    missing = [name for name in BUILDERS if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}; 'make docs' builds the documentation")
    built = build(tmp_path)
    seen = {page: Links(page) for page in built.rglob("*.html")}
    assert len(seen) > 50
    for page, links in seen.items():
        assert not links.loaded_from_elsewhere, page.name
        for target in links.targets:
            path, anchor = unquote(target.path), unquote(target.fragment)
            file = (page.parent / path).resolve() if path else page
            assert file.exists(), f"{page.name} links to {target.geturl()}"
            if anchor and file in seen:
                assert anchor in seen[file].anchors, f"{page.name} links to {target.geturl()}"
    anchors = {anchor for links in seen.values() for anchor in links.anchors}
    documented = {anchor.removeprefix("module-") for anchor in anchors}
    assert {f"greedag.{name}" for name in greedag.__all__} <= documented


def build(folder: Path) -> Path:
    """Build the documentation without running the examples, which have a test of their own."""
    source, built = folder / "docs", folder / "built"
    ignored = shutil.ignore_patterns("gallery", "generated", "__pycache__")
    shutil.copytree(DOCS, source, ignore=ignored)
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=ignored)
    for page in (ROOT / "benchmarks").rglob("RESULTS.md"):
        copy = folder / page.relative_to(ROOT)
        copy.parent.mkdir(parents=True)
        shutil.copy(page, copy)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-n"]
    run = subprocess.run(
        [*command, "-D", "plot_gallery=0", str(source), str(built)], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return built


class Links(HTMLParser):
    """What one page links to, loads and can be linked by."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: list[SplitResult] = []
        self.anchors: set[str] = set()
        self.loaded_from_elsewhere: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        said = dict(attributes)
        if said.get("id"):
            self.anchors.add(str(said["id"]))
        source = said.get("src") or (said.get("href") if tag == "link" else None)
        if source and urlsplit(source).netloc:
            self.loaded_from_elsewhere.append(source)
        target = urlsplit(said.get("href") or "") if tag == "a" else urlsplit("")
        if (target.path or target.fragment) and not target.scheme:
            self.targets.append(target)


def read(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors_of(page: Path) -> set[str]:
    source = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", source, flags=re.MULTILINE)
    named = re.findall(r"^\(([\w-]+)\)=$", source, flags=re.MULTILINE)
    return {anchor_of(heading) for heading in headings} | set(named)

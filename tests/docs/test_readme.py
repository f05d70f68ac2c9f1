"""The README can be followed literally: every Python block and every command in it is run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PICTURE = ROOT / "docs" / "images" / "readme.svg"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
BIN = Path(sys.executable).parent
ENVIRONMENT = os.environ | {
    "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
    "OPENBLAS_NUM_THREADS": "1",
}


def blocks(*languages: str) -> list[str]:
    return [text for language, text in BLOCKS if language in languages]


@pytest.mark.skipif(not (BIN / "greedag").exists(), reason="greedag is not installed as a command")
def test_every_command_runs_in_order(tmp_path: Path) -> None:
    commands = blocks("sh")
    assert commands
    for text in commands:
        run = subprocess.run(
            ["sh", "-e", "-c", text],
            cwd=tmp_path,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, f"{text}\n{run.stdout}\n{run.stderr}"
        assert run.stderr == ""


def test_python_prints_and_draws_what_the_readme_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("python")
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    if os.environ.get("RENEW_DOCS"):
        (shown,) = blocks("text")
        new = README.replace(f"```text\n{shown}```", f"```text\n{printed}```")
        (ROOT / "README.md").write_text(new, encoding="utf-8")
        shutil.copy("graph.svg", PICTURE)
        return
    assert blocks("text") == [printed]
    assert Path("graph.svg").read_text(encoding="utf-8") == PICTURE.read_text(encoding="utf-8")


def test_blocks_that_are_not_run_install_or_make() -> None:
    for language, text in BLOCKS:
        if language not in ("python", "sh", "text"):
            assert language == ""
            assert all(line.startswith(("make ", "pip install ")) for line in text.splitlines())


def test_every_command_of_the_program_is_in_the_readme() -> None:
    from greedag.cli.main import program

    assert all(f"greedag {name}" in README for name in program().commands)


def test_files_that_the_readme_links_to_exist() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert all((ROOT / link).exists() for link in links)

"""Files: what is written is read back, damage of any kind is noticed, writing is all or nothing."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from greedag.errors import FileError, GreedagError
from greedag.io import atomic as storage
from greedag.io.arrays import load_npz, save_npz
from greedag.io.atomic import write_text_atomic
from greedag.statistics.moments import Moments

ARRAYS = {
    "matrix": np.arange(6, dtype=np.float64).reshape(2, 3) / 7,
    "counts": np.array([-(2**63), 2**63 - 1]),
    "small": np.array([1, -1], dtype=np.int32),
    "bytes": np.arange(3, dtype=np.uint8),
    "nothing": np.empty((0, 4)),
}
META = {"names": ["a", "😀", "\ud800", "\0"], "n": 10**30, "nested": {"x": [1.5, None, True]}}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "file.greedag"
    save_npz(path, "things", 3, ARRAYS, META)
    return path


def test_what_is_saved_is_loaded(saved: Path) -> None:
    stored = load_npz(saved, "things", 3)
    assert stored.version == 3
    assert stored.meta == META
    assert stored.arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert stored.arrays[name].dtype == array.dtype
        assert np.array_equal(stored.arrays[name], array)
        assert not stored.arrays[name].flags.writeable


@pytest.mark.parametrize("change", [np.asfortranarray, lambda a: a[::-1, ::-1], lambda a: a.T])
def test_any_memory_order_can_be_saved(change: Any, tmp_path: Path) -> None:
    array = change(ARRAYS["matrix"])
    save_npz(tmp_path / "f", "things", 1, {"a": array, "b": array.astype(">f8")}, {})
    arrays = load_npz(tmp_path / "f", "things", 1).arrays
    assert np.array_equal(arrays["a"], array)
    assert np.array_equal(arrays["b"], array)


def test_the_same_contents_give_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    save_npz(str(tmp_path / "again"), "things", 3, ARRAYS, META)
    assert (tmp_path / "again").read_bytes() == saved.read_bytes()


def test_a_file_cut_short_at_any_byte_is_refused(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    for length in range(len(content)):
        cut = tmp_path / "cut"
        cut.write_bytes(content[:length])
        with pytest.raises(FileError, match=r"(?s)cut.*write"):
            load_npz(cut, "things", 3)


def test_saved_moments_cut_short_at_any_byte_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m"
    Moments(n=5, covariance=[[1.0, 0.5], [0.5, 1.0]], mean=[0, 1]).save(path)
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(FileError):
            Moments.load(path)


def test_a_change_of_any_byte_is_noticed(saved: Path) -> None:
    content = saved.read_bytes()
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1
        saved.write_bytes(damaged)
        with pytest.raises(FileError):
            load_npz(saved, "things", 3)


def test_bytes_after_the_end_are_noticed(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes() + b"\0")
    with pytest.raises(FileError, match="damaged"):
        load_npz(saved, "things", 3)


@pytest.mark.parametrize("content", [b"PK\x03\x04", b"\x93NUMPY", b"{}", b"\x80\x04pickle", b"g?"])
def test_files_of_others_are_recognised(content: bytes, saved: Path) -> None:
    saved.write_bytes(content + bytes(100))
    with pytest.raises(FileError, match=r"is not a \.npz file; choose|damaged or cut short"):
        load_npz(saved, "things", 3)


def test_a_newer_version_asks_for_an_upgrade(saved: Path) -> None:
    with pytest.raises(FileError, match=r"version 3 .* newer than 2.*upgrade greedag"):
        load_npz(saved, "things", 2)


def test_another_kind_is_named(saved: Path) -> None:
    with pytest.raises(FileError, match="holds 'things', not 'moments'; choose another file"):
        Moments.load(saved)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"there is no file '.*nowhere'; check the name"):
        load_npz(tmp_path / "nowhere", "things", 1)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"folder.*choose a file|check that it is a file"):
        load_npz(tmp_path, "things", 1)
    with pytest.raises(FileError, match="is a folder; give the name of a file in it"):
        save_npz(tmp_path, "things", 1, {}, {})


def test_an_empty_file_is_refused(saved: Path) -> None:
    saved.write_bytes(b"")
    with pytest.raises(FileError, match="is empty; write it again"):
        load_npz(saved, "things", 1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="not a file; choose a file"):
        load_npz(tmp_path / "pipe", "things", 1)


def test_a_file_over_the_limit_is_refused_unread(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "MAX_BYTES", 100)
    with pytest.raises(FileError, match="more than the limit of 100"):
        load_npz(saved, "things", 3)


@pytest.mark.parametrize("path", ["", "a\0b", None, 3, b"bytes"])
def test_paths_that_are_none_are_refused(path: Any) -> None:
    for act in (
        lambda: load_npz(path, "things", 1),
        lambda: save_npz(path, "things", 1, {}, {}),
        lambda: write_text_atomic(path, "text"),
    ):
        with pytest.raises(FileError, match="pass a str or a Path"):
            act()


def test_text_is_written_as_utf8_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    write_text_atomic(path, "first")
    write_text_atomic(str(path), "ä → 😀\n\ud800")
    assert path.read_bytes() == "ä → 😀\n\\ud800".encode()
    assert os.listdir(tmp_path) == ["graph.json"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    step: str, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = saved.read_bytes()
    monkeypatch.setattr(os, step, full)
    with pytest.raises(FileError, match=r"cannot write .*No space left on device.*has free space"):
        save_npz(saved, "things", 4, ARRAYS, META)
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = saved.read_bytes()
    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text_atomic(saved, "text")
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"nowhere.*choose a folder that exists"):
        write_text_atomic(tmp_path / "nowhere" / "f", "text")


def test_long_file_names_leave_room_for_the_temporary_name(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 250)
    write_text_atomic(path, "text")
    assert path.read_text() == "text"


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_files_get_the_usual_permissions(saved: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.touch()
    assert stat.S_IMODE(saved.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_file_errors_can_be_caught_as_ours_and_as_os_errors(tmp_path: Path) -> None:
    for kind in (GreedagError, OSError):
        with pytest.raises(kind):
            Moments.load(tmp_path / "nowhere")


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    link.symlink_to(target)
    for text in ("first", "second"):
        write_text_atomic(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert os.listdir(tmp_path / "folder") == ["target"]


def test_a_circle_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "link")
    with pytest.raises(FileError, match="cannot write"):
        write_text_atomic(tmp_path / "link", "text")


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_a_file_that_exists_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(mode)
    write_text_atomic(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write_text_atomic(path, "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="no /dev/stdout here")
@pytest.mark.parametrize("redirected", [True, False])
def test_standard_output_is_written_to_be_it_a_file_or_a_pipe(
    redirected: bool, tmp_path: Path
) -> None:
    program = (
        "from greedag.io.atomic import write_text_atomic\n"
        "print('before', flush=True)\n"
        "write_text_atomic('/dev/stdout', 'through\\n')\n"
    )
    log = tmp_path / "log"
    with open(log, "ab") as file:
        stream = file if redirected else subprocess.PIPE
        done = subprocess.run([sys.executable, "-c", program], stdout=stream, check=True)
    said = log.read_bytes() if redirected else done.stdout
    assert said == b"before\nthrough\n"
    assert os.listdir(tmp_path) == ["log"]

"""Moments as .npz: read back equal, opened by NumPy, damage noticed, nothing unpickled."""

from __future__ import annotations

import hashlib
import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from greedag import FileError, Moments, simulate
from greedag.io import atomic as storage
from greedag.io.arrays import save_npz

MOMENTS = Moments.from_data(simulate.linear_gaussian(4, 1.0, 100, seed=0).data)
ARRAYS = {"scaled": np.eye(2) / 2, "exponent": np.zeros(2, dtype=np.int32)}
META = {"n": 10, "names": ["a", "b"]}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    MOMENTS.save(tmp_path / "m.npz")
    return tmp_path / "m.npz"


def sealed(content: bytes) -> bytes:
    """An archive of anyone's with a comment that fits."""
    buffer = io.BytesIO(content)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = bytes(64)
    body = buffer.getvalue()[:-64]
    return body + hashlib.sha256(body).hexdigest().encode()


def npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["m.npz", "M.NPZ", "m.moments"])
@pytest.mark.parametrize(
    "moments",
    [
        MOMENTS,
        Moments(n=5, covariance=[[1e200, 0.0], [0.0, 1e-200]], names=["\0", "\ud800"]),
    ],
)
def test_moments_are_read_back_equal(moments: Moments, name: str, tmp_path: Path) -> None:
    moments.save(tmp_path / name)
    assert Moments.load(str(tmp_path / name)) == moments
    assert (tmp_path / name).read_bytes().startswith(b"PK")


def test_numpy_opens_it_without_pickle(saved: Path) -> None:
    with np.load(saved, allow_pickle=False) as archive:
        scale = 2.0 ** archive["exponent"].astype(float)
        assert np.allclose(archive["scaled"] * np.outer(scale, scale), MOMENTS.covariance)
        assert np.array_equal(archive["mean"], MOMENTS.mean)


def test_a_file_cut_short_at_any_byte_is_refused(saved: Path) -> None:
    content = saved.read_bytes()
    for length in range(len(content)):
        saved.write_bytes(content[:length])
        with pytest.raises(FileError, match=r"m\.npz"):
            Moments.load(saved)


def test_a_change_of_any_byte_is_refused(saved: Path) -> None:
    content = saved.read_bytes()
    for place in range(len(content)):
        altered = bytearray(content)
        altered[place] ^= 1 << place % 8
        saved.write_bytes(altered)
        with pytest.raises(FileError, match=r"m\.npz"):
            Moments.load(saved)


def test_a_newer_version_and_another_kind_are_named(saved: Path) -> None:
    save_npz(saved, "moments", 2, ARRAYS, META)
    with pytest.raises(FileError, match=r"version 2 .* upgrade"):
        Moments.load(saved)
    save_npz(saved, "things", 1, ARRAYS, META)
    with pytest.raises(FileError, match="holds 'things', not 'moments'"):
        Moments.load(saved)


def npy_declaring(shape: tuple[int, ...]) -> bytes:
    """An array that declares a shape and holds nothing."""
    file = io.BytesIO()
    head = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, head)
    return file.getvalue()


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return (pytest.fail, ("unpickled",))


@pytest.mark.parametrize(
    "content",
    [
        sealed(npz(**ARRAYS)),
        sealed(npz(a=np.array([Bomb()], dtype=object))),
        sealed(npz(**{"header.json": np.frombuffer(b"[" * 10**5, np.uint8)})),
        sealed(npz(**{"header.json": np.frombuffer(b'{"kind": 1}', np.uint8)})),
        sealed(npz(**{"header.json": np.array(["text"])})),
        npz(**ARRAYS),
        pickle.dumps(MOMENTS),
        b"P",
        b"PK",
    ],
)
def test_files_of_others_are_refused_even_with_a_valid_checksum(
    content: bytes, saved: Path
) -> None:
    saved.write_bytes(content)
    with pytest.raises(FileError, match=r"m\.npz"):
        Moments.load(saved)


@pytest.mark.parametrize(
    "arrays",
    [
        {},
        {**ARRAYS, "scaled": np.eye(3)},
        {**ARRAYS, "scaled": -np.eye(2)},
        {**ARRAYS, "exponent": np.zeros(2)},
        {**ARRAYS, "mean": np.zeros(3)},
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(arrays: Any, saved: Path) -> None:
    save_npz(saved, "moments", 1, arrays, META)
    with pytest.raises(FileError, match=r"m\.npz"):
        Moments.load(saved)


def test_an_archive_that_unpacks_to_too_much_is_refused(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, scaled=np.zeros(10**6))
    saved.write_bytes(sealed(buffer.getvalue()))
    monkeypatch.setattr(storage, "MAX_BYTES", 10**6)
    with pytest.raises(FileError, match="is too large when unpacked"):
        Moments.load(saved)


@pytest.mark.parametrize(
    "entry",
    [
        b"no array",
        b"\x93NUMPY\x01\x00\x42\x00{'descr': '<f8', 'fortran_order': False, 'shape': (10**6,)}",
        npy_declaring((10**6, 10**6)),
    ],
)
def test_entries_that_are_no_arrays_or_lie_about_their_shape_are_refused(
    entry: bytes, saved: Path
) -> None:
    buffer = io.BytesIO(npz(**{"header.json": np.frombuffer(b"{}", np.uint8)}))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("scaled.npy", entry)
    saved.write_bytes(sealed(buffer.getvalue()))
    with pytest.raises(FileError, match=r"m\.npz"):
        Moments.load(saved)

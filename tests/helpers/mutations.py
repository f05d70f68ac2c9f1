"""Files of every kind, damaged at random: reading one ends well, or with an error of greedag."""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import greedag
from greedag.errors import GreedagError
from greedag.interop.formats import read
from greedag.io.checked_json import _LEAD, _TAIL, _tail_of
from greedag.result.result import Result
from greedag.statistics.levels import Levels
from greedag.statistics.moments import Moments

Random = np.random.Generator
NUMBERS = (b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1", b"0", b"1e-320", b"9" * 30, b"0.5")
WORDS = (*NUMBERS, b"null", b"true", b"[]", b"{}", b'""', b'"\\ud800"', b'"\\u0000"')
VALUES = (math.nan, math.inf, -math.inf, -1.0, 0.0, 1e308, -1e308, 1e-308, 3.0, 2.0**53)
_NUMBER = re.compile(rb"-?\d+(\.\d+)?(e[-+]?\d+)?")
_DIGITS = 64


def damaged_bytes(content: bytes, random: Random) -> bytes:
    """Change, drop, repeat or insert some bytes."""
    data = bytearray(content)
    for _ in range(int(random.integers(1, 4))):
        at = int(random.integers(len(data))) if data else 0
        length = int(random.integers(1, 9))
        kind = random.integers(5)
        if kind == 0 and data:
            data[at] = int(random.integers(256))
        elif kind == 1 and data:
            data[at] ^= 1 << int(random.integers(8))
        elif kind == 2:
            del data[at : at + length]
        elif kind == 3:
            data[at:at] = data[at : at + length]
        else:
            data[at:at] = random.integers(256, size=length, dtype=np.uint8).tobytes()
    return bytes(data)


def damaged_values(content: bytes, random: Random) -> bytes:
    """Put something else where a number stands in a text."""
    places = list(_NUMBER.finditer(content))
    if not places:
        return damaged_bytes(content, random)
    place = places[int(random.integers(len(places)))]
    word = WORDS[int(random.integers(len(WORDS)))]
    return content[: place.start()] + word + content[place.end() :]


def with_json_checksum(content: bytes) -> bytes:
    """Make the checksum of a JSON document right, wherever there is one."""
    if content[-_TAIL:].startswith(_LEAD):
        return content[:-_TAIL] + _tail_of(content[:-_TAIL])
    return content


def with_npz_checksum(content: bytes) -> bytes:
    body = content[:-_DIGITS]
    return body + hashlib.sha256(body).hexdigest().encode("ascii")


def damaged_archive(content: bytes, random: Random) -> bytes:
    """Change one array of an .npz file, or its header, and write it again, checksum and all."""
    with np.load(io.BytesIO(content)) as archive:
        arrays = {name: archive[name].copy() for name in archive.files}
    name = list(arrays)[int(random.integers(len(arrays)))]
    arrays[name] = _damaged_array(name, arrays[name], random)
    if random.random() < 0.03:
        del arrays[name]
    file = io.BytesIO()
    np.savez(file, **arrays)
    with zipfile.ZipFile(file, "a") as archive:
        archive.comment = bytes(_DIGITS)
    return with_npz_checksum(file.getvalue())


def _damaged_array(name: str, array: Any, random: Random) -> Any:
    if name == "header.json":
        damage = damaged_values if random.random() < 0.7 else damaged_bytes
        return np.frombuffer(damage(array.tobytes(), random), dtype=np.uint8)
    kind = random.integers(8)
    if kind > 5 and array.ndim == 2 and array.size:
        return _damaged_pair(array, random)
    if kind == 0:
        return array.ravel()
    if kind == 1:
        return array[..., : int(random.integers(array.shape[-1] + 1))]
    if array.dtype.kind == "U":
        return _damaged_text(array, random)
    for _ in range(int(random.integers(1, 4))):
        if not array.size:
            return array
        at = int(random.integers(array.size))
        with np.errstate(all="ignore"):
            if kind == 2:
                array.flat[at] = np.array(VALUES)[random.integers(len(VALUES))].astype(array.dtype)
            elif kind == 3:
                array.flat[at] = -array.flat[at]
            elif kind == 4:
                raw = array.reshape(-1).view(np.uint8)
                raw[int(random.integers(raw.size))] = int(random.integers(256))
            else:
                other = int(random.integers(array.size))
                array.flat[at], array.flat[other] = array.flat[other], array.flat[at]
    return array


def _damaged_pair(array: Any, random: Random) -> Any:
    """Change a cell of a matrix and its mirror image, which no check of symmetry notices."""
    i, j = random.integers(len(array)), random.integers(array.shape[1])
    if max(i, j) < min(array.shape):
        with np.errstate(all="ignore"):
            value = array[i, j] * random.choice([-1.0, 0.5, 0.9, 1.1, 2.0, 1e-9])
            array[i, j] = array[j, i] = np.asarray(value).astype(array.dtype)
    return array


def _damaged_text(array: Any, random: Random) -> Any:
    raw = array.view(np.uint32)
    codes = (0xD800, 0xDFFF, 0x110000, 0xFFFFFFFF, 0, 10, 0x1F600)
    raw.flat[int(random.integers(raw.size))] = codes[int(random.integers(len(codes)))]
    return array


class DamagedFiles:
    """Valid files of every kind, and how each is damaged and read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        random = np.random.default_rng(0)
        self.rows = random.normal(size=(60, 14)) @ random.normal(size=(14, 14))
        self.rows[:, 5] += 2.0 * self.rows[:, 1]
        result = greedag.learn(self.rows, search="xges0")
        cpdag = result.cpdag
        self.valid: dict[str, bytes] = {}
        few = Moments.from_data(random.normal(size=(8, 10)))
        for name, moments in (("moments", Moments.from_data(self.rows)), ("few", few)):
            moments.save(folder / name)
            self.valid[f"{name}.moments"] = (folder / name).read_bytes()
        result.save(folder / "result.json")
        self.valid["result.json"] = (folder / "result.json").read_bytes()
        greedag.learn(self.rows, effort=0.05, checkpoint=folder / "state.checkpoint")
        self.valid["state.checkpoint"] = (folder / "state.checkpoint").read_bytes()
        for suffix in ("json", "npz", "dot", "dagitty", "graphml", "txt", "csv"):
            path = folder / f"graph.{suffix}"
            greedag.interop.write(path, cpdag)
            self.valid[path.name] = path.read_bytes()
        lines = [{"a": float(x), "b": str(k % 3), "c": k % 2 == 0} for k, x in enumerate(range(30))]
        self.valid["table.jsonl"] = "\n".join(json.dumps(line) for line in lines).encode()
        table = "\n".join(f"{k},{k * k % 7},{'uvw'[k % 3]}" for k in range(30))
        self.valid["table.csv"] = f"a,b,c\n{table}\n".encode()

    def damaged(self, name: str, random: Random) -> bytes:
        content = self.valid[name]
        suffix = name.rpartition(".")[2]
        if suffix in ("moments", "checkpoint", "npz"):
            if random.random() < 0.75:
                return damaged_archive(content, random)
            changed = damaged_bytes(content, random)
            return changed if random.random() < 0.5 else with_npz_checksum(changed)
        damage = damaged_values if random.random() < 0.5 else damaged_bytes
        changed = damage(content, random)
        return with_json_checksum(changed) if random.random() < 0.8 else changed

    def use(self, name: str, content: bytes) -> None:
        """Read a damaged file, and use what it holds if it can be read."""
        path = self.folder / f"damaged-{name}"
        path.write_bytes(content)
        USES[name.rpartition(".")[2] if not name.startswith(("graph", "table")) else name[:5]](
            self, path
        )

    def unlike_greedag(self, name: str, content: bytes) -> BaseException | None:
        """Return what reading raises, if it is no error of greedag."""
        try:
            self.use(name, content)
        except GreedagError:
            return None
        except Exception as error:
            return error
        return None


def _use_moments(files: DamagedFiles, path: Path) -> None:
    moments = Moments.load(path)
    result = greedag.learn(moments, search="xges0")
    assert math.isfinite(result.score)


def _use_result(files: DamagedFiles, path: Path) -> None:
    result = Result.load(path)
    assert str(result)
    result.save(path)


def _use_checkpoint(files: DamagedFiles, path: Path) -> None:
    result = greedag.learn(files.rows, effort=0.05, checkpoint=path)
    assert math.isfinite(result.score)


def _use_graph(files: DamagedFiles, path: Path) -> None:
    graph = read(path)
    assert repr(graph)
    assert str(graph)


def _use_table(files: DamagedFiles, path: Path) -> None:
    levels = Levels.from_file(path)
    assert math.isfinite(greedag.learn(levels, search="xges0").score)


USES: dict[str, Callable[[DamagedFiles, Path], None]] = {
    "moments": _use_moments,
    "json": _use_result,
    "checkpoint": _use_checkpoint,
    "graph": _use_graph,
    "table": _use_table,
}


def failures(files: DamagedFiles, seeds: range) -> Iterator[tuple[str, int, BaseException]]:
    """Yield every mutation of every file that raises anything but an error of greedag."""
    for name in files.valid:
        for seed in seeds:
            content = files.damaged(name, np.random.default_rng(seed))
            error = files.unlike_greedag(name, content)
            if error is not None:
                yield name, seed, error

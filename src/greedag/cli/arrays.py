"""Tables in .npy and .npz files, and moments that were saved."""

from __future__ import annotations

import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag import Moments
from greedag.cli.columns import Choice
from greedag.cli.parts import Part, part_of
from greedag.errors import FileError, listed, quoted_path, require, unreadable

_MOMENTS_HEADER = "header.json"


def read_npy(path: str, choice: Choice) -> Part:
    """Count an array of rows by columns."""
    return _of_array(_npy_array(path), choice)


def read_npz(path: str, choice: Choice) -> Part:
    """Count such an array, one array for each column, or take moments as they are."""
    arrays = _npz_arrays(path)
    if _MOMENTS_HEADER in arrays:
        return read_moments(path, choice)
    if _is_matrix(path, arrays):
        return _of_array(next(iter(arrays.values())), choice)
    chosen = _chosen(arrays, choice)
    for name, array in chosen.items():
        if array.dtype.kind not in "biuf":
            raise unreadable([name], array.dtype)
    values = np.column_stack(list(chosen.values()))
    return part_of(Moments.from_data(values, names=tuple(chosen)), chosen.values())


def read_moments(path: str, choice: Choice) -> Part:
    """Take the chosen columns of moments that were saved."""
    whole = Moments.load(path)
    kept = choice.positions(whole.names)
    if kept == list(range(whole.d)):
        return Part(whole)
    chosen = Moments(
        n=whole.n,
        covariance=whole.covariance[np.ix_(kept, kept)],
        names=[whole.names[j] for j in kept],
        mean=None if whole.mean is None else whole.mean[kept],
    )
    return Part(chosen)


def array_table(path: str, kind: str, choice: Choice) -> Any:
    """Return the columns of .npy and .npz files as an Arrow table."""
    arrow = require("pyarrow", "io")
    arrays = _npz_arrays(path) if kind == "npz" else {"": _npy_array(path)}
    if _MOMENTS_HEADER in arrays:
        raise no_rows(path)
    if kind == "npy" or _is_matrix(path, arrays):
        (matrix,) = arrays.values()
        if matrix.ndim != 2:
            Moments.from_data(matrix)  # which says what is wrong with it
        arrays = {f"x{j}": column for j, column in enumerate(matrix.T)}
    chosen = _chosen(arrays, choice)
    for name, array in chosen.items():
        # Arrow has no numbers longer than a double.
        is_long = array.dtype.kind == "f" and array.dtype.itemsize > 8
        if is_long or array.dtype.kind not in "biufU":
            raise unreadable([name], array.dtype)
    return arrow.table({name: np.ascontiguousarray(array) for name, array in chosen.items()})


def _npy_array(path: str) -> NDArray[Any]:
    try:
        array: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise FileError(f"{quoted_path(path)} is no .npy file of numbers: {error}") from error
    if isinstance(array, np.lib.npyio.NpzFile):
        array.close()
        raise FileError(f"{quoted_path(path)} is an .npz file; say so with --format npz")
    return np.asarray(array)


def _npz_arrays(path: str) -> dict[str, NDArray[Any]]:
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (ValueError, EOFError, AttributeError, TypeError, zipfile.BadZipFile) as error:
        raise FileError(f"{quoted_path(path)} is no .npz file of numbers: {error}") from error


def _is_matrix(path: str, arrays: dict[str, NDArray[Any]]) -> bool:
    """Whether the arrays are one of rows by columns, and not one for each column."""
    shapes = {array.shape for array in arrays.values()}
    if len(arrays) == 1 and len(next(iter(shapes))) == 2:
        return True
    if len(shapes) != 1 or len(next(iter(shapes))) != 1:
        raise FileError(
            f"{quoted_path(path)} must hold one array of rows by columns, or one array of equal "
            f"length for each column; it holds {listed(list(arrays)) or 'none'}"
        )
    return False


def _chosen(arrays: dict[str, NDArray[Any]], choice: Choice) -> dict[str, NDArray[Any]]:
    names = list(arrays)
    return {names[j]: arrays[names[j]] for j in choice.positions(names)}


def no_rows(path: str) -> FileError:
    """Return the error for moments where rows are needed."""
    return FileError(
        f"{quoted_path(path)} holds moments and no rows, which weights, missing values and scores "
        "of levels need; give the table itself"
    )


def _of_array(array: NDArray[Any], choice: Choice) -> Part:
    if array.ndim != 2:
        Moments.from_data(array)  # which says what is wrong with it
    names = [f"x{j}" for j in range(array.shape[1])]
    kept = choice.positions(names)
    values = array if kept == list(range(len(names))) else array[:, kept]
    return part_of(Moments.from_data(values, names=[names[j] for j in kept]), values.T)

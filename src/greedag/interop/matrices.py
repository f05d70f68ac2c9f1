"""Matrices of the R packages pcalg and bnlearn, and an adjacency matrix in a ``.npz`` file.

pcalg's ``amat.cpdag``: ``[a, b] = 0`` and ``[b, a] = 1`` is a → b, so it is our matrix transposed.
bnlearn's ``amat``: ``[a, b] = 1`` and ``[b, a] = 0`` is a → b, as in ours. In all, both 1 is a - b.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag.data.names import own_names
from greedag.errors import DataError, DataTypeError
from greedag.graph.mpdag import MPDAG, GraphLike, graph_of
from greedag.interop.builder import check_names, check_size, check_type, graph_from
from greedag.io.arrays import UNREADABLE, check_text, read_npy

_ADJACENCY, _NAMES = "adjacency", "names"
_MAX_NPZ_BYTES = 2**30


def to_pcalg(cpdag: GraphLike) -> NDArray[np.int64]:
    """Return pcalg's ``amat.cpdag``: ``[a, b] = 0`` and ``[b, a] = 1`` is a → b, both 1 is a - b.

    Parameters
    ----------
    cpdag : CPDAG, MPDAG or Result
        The graph.

    Returns
    -------
    ndarray of shape (d, d)
        Rows and columns in the order of ``cpdag.names``.
    """
    cpdag = graph_of(cpdag)
    return np.ascontiguousarray(cpdag.to_matrix().T, dtype=np.int64)


def from_pcalg(
    matrix: ArrayLike, names: Iterable[str] | None = None, *, as_dag: bool = False
) -> MPDAG:
    """Read pcalg's ``amat.cpdag``: ``[a, b] = 0`` and ``[b, a] = 1`` is a → b, both 1 is a - b.

    Parameters
    ----------
    matrix : array_like of shape (d, d)
        Zeros and ones. The labels of a data frame are its names.
    names : list of str, optional
        Column names; ``x0``, ``x1``, … when left out, if the matrix has no labels.
    as_dag : bool
        Take the edges as a DAG and return its class.

    Raises
    ------
    DataError
        If the matrix is not that of a CPDAG, or with `as_dag` of a DAG; or if its labels and
        `names` differ.
    """
    return graph_from(np.transpose(_array(matrix)), own_names(matrix, names), as_dag=as_dag)


def to_bnlearn(cpdag: GraphLike) -> NDArray[np.int64]:
    """Return bnlearn's ``amat``: ``[a, b] = 1`` and ``[b, a] = 0`` is a → b, both 1 is a - b.

    Parameters
    ----------
    cpdag : CPDAG, MPDAG or Result
        The graph.

    Returns
    -------
    ndarray of shape (d, d)
        Rows and columns in the order of ``cpdag.names``.
    """
    cpdag = graph_of(cpdag)
    return cpdag.to_matrix().astype(np.int64)


def from_bnlearn(
    matrix: ArrayLike, names: Iterable[str] | None = None, *, as_dag: bool = False
) -> MPDAG:
    """Read bnlearn's ``amat``: ``[a, b] = 1`` and ``[b, a] = 0`` is a → b, both 1 is a - b.

    Parameters
    ----------
    matrix : array_like of shape (d, d)
        Zeros and ones. The labels of a data frame are its names.
    names : list of str, optional
        Column names; ``x0``, ``x1``, … when left out, if the matrix has no labels.
    as_dag : bool
        Take the edges as a DAG and return its class.

    Raises
    ------
    DataError
        If the matrix is not that of a CPDAG, or with `as_dag` of a DAG; or if its labels and
        `names` differ.
    """
    return graph_from(_array(matrix), own_names(matrix, names), as_dag=as_dag)


def to_npz(cpdag: GraphLike) -> bytes:
    """Return the bytes of a ``.npz`` file with the arrays ``adjacency`` and ``names``.

    ``adjacency[i, j] = 1, adjacency[j, i] = 0`` is i → j, both 1 is i - j. Nothing is pickled.

    Parameters
    ----------
    cpdag : CPDAG, MPDAG or Result
        The graph.

    Raises
    ------
    DataError
        If a name ends in NUL, which NumPy's strings drop.
    """
    cpdag = graph_of(cpdag)
    check_names(cpdag.names, "NumPy strings", _problem)
    content = io.BytesIO()
    names = np.array(cpdag.names, dtype=np.str_)
    np.savez_compressed(content, adjacency=cpdag.to_matrix(), names=names)
    return content.getvalue()


def from_npz(content: bytes, *, as_dag: bool = False) -> MPDAG:
    """Read the bytes of a ``.npz`` file that :func:`to_npz` made.

    Parameters
    ----------
    content : bytes
        The file; nothing in it is unpickled.
    as_dag : bool
        Take the edges as a DAG and return its class.

    Raises
    ------
    DataError
        If an array is missing or not what it should be.
    """
    check_type(content, bytes)
    adjacency, names = _arrays(content)
    if names.dtype.kind != "U" or names.ndim != 1 or adjacency.ndim != 2:
        raise DataError(
            f"{_NAMES!r} is not a list of strings or {_ADJACENCY!r} not a matrix; rewrite it"
        )
    check_size(len(names))
    check_text(names)
    return graph_from(adjacency, names.tolist(), as_dag=as_dag)


def _arrays(content: bytes) -> tuple[NDArray[np.uint8], NDArray[np.str_]]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _check_archive(archive)
            adjacency, names = (
                read_npy(archive, archive.getinfo(f"{key}.npy")) for key in (_ADJACENCY, _NAMES)
            )
            return adjacency, names
    except DataError:
        raise
    except UNREADABLE as error:
        raise DataError(
            f"not a .npz file without pickle, or damaged: {error}; write it again"
        ) from error


def _check_archive(archive: zipfile.ZipFile) -> None:
    sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    missing = next((key for key in (_ADJACENCY, _NAMES) if f"{key}.npy" not in sizes), "")
    if missing:
        raise DataError(f"there is no array {missing!r}; arrays are {_ADJACENCY!r} and {_NAMES!r}")
    if max(sizes.values()) > _MAX_NPZ_BYTES:
        raise DataError(
            f"unpacked, an array is larger than the limit of {_MAX_NPZ_BYTES} bytes; choose "
            "another file"
        )


def _array(matrix: ArrayLike) -> NDArray[np.uint8]:
    try:
        return np.asarray(matrix)
    except ValueError as error:
        raise DataTypeError(f"the matrix is not rectangular: {error}") from error


def _problem(name: str) -> str:
    return "it ends in NUL" if name.endswith("\0") else ""

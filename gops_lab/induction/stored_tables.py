"""A tier's table as arrays on the disk, and back; see ``docs/format.md``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.errors import StoreError
from gops_lab.induction.files import map_array, write_array
from gops_lab.induction.manifest import value_text
from gops_lab.induction.records import Records
from gops_lab.induction.rectangle import (
    RowLayouts,
    TierPlan,
    TierTable,
    empty_table,
    layout_name,
)
from gops_lab.induction.reduction import Reducer
from gops_lab.induction.sweep import NodeTable, Table

ALWAYS_CHECKED = 1 << 22
"""Files of at most so many bytes have their hash checked whenever they are loaded."""

TABLE_TYPES = ("float64", "float32", "int32")


def write_table(folder: Path, tier: int, table: Table) -> dict[str, Any]:
    """Write a table; return what a manifest says of it."""

    def write(kind: str, array: npt.NDArray[Any]) -> dict[str, Any]:
        return write_array(folder, array_name(tier, kind), array)

    if isinstance(table, TierTable):
        files = {kind: write(kind, array) for kind, array in arrays_of(table.plan).items()}
        files["values"] = write("values", table.values)
        return describe_table(table.plan, table.values.dtype, files)
    if not isinstance(table, NodeTable):
        raise StoreError(f"values kept as {type(table).__name__} cannot be stored")
    values = table.values
    if values.dtype == object:
        values = np.array([value_text(value).encode() for value in values], dtype=np.bytes_)
    nodes = np.column_stack(table.nodes.columns)
    return {
        "layout": "nodes",
        "prizes": int(np.bitwise_count(nodes[:, 1]).max(initial=0)),
        "dtype": type_name(values.dtype),
        "step": 1.0,
        "files": {"nodes": write("nodes", nodes), "values": write("values", values)},
    }


def describe_table(
    plan: TierPlan, dtype: np.dtype[Any], files: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return what a manifest says of a table of the fast sweep."""
    return {
        "layout": layout_name(plan),
        "prizes": plan.size,
        "dtype": type_name(dtype),
        "step": empty_table(plan, values=np.zeros(0, dtype)).step,
        "files": dict(files),
    }


def type_name(dtype: np.dtype[Any]) -> str:
    """Return what a manifest calls a type of values."""
    return "text" if dtype.kind in "OS" else dtype.name


def arrays_of(plan: TierPlan) -> dict[str, npt.NDArray[Any]]:
    """Return what says where the values of a tier stand.

    Returns
    -------
    dict
        ``patterns``: code, class, ways and offset of every pattern, one row each. In rows also
        ``reached``: for each different pair of class and ways, ascending, which positions of the
        class have a value, as bits.
    """
    patterns = np.column_stack((plan.codes, plan.classes, plan.ways, plan.offsets[:-1]))
    if not isinstance(plan.layouts, RowLayouts):
        return {"patterns": patterns}
    rows = [plan.layouts.values(plan.size, kind).reached(ways) for kind, ways in plan.kinds]
    bits = np.zeros((len(rows), max(map(len, rows), default=0)), np.bool_)
    for row, reached in zip(bits, rows, strict=True):
        row[: len(reached)] = reached
    return {"patterns": patterns, "reached": np.packbits(bits, axis=1)}


def array_name(tier: int, kind: str) -> str:
    """Return the name of an array's file, ``{}`` standing for the start of its hash."""
    return f"tier-{tier:02d}-{kind}-{{}}.npy"


def read_table(
    folder: Path, stored: Mapping[str, Any], reducer: Reducer, plan: TierPlan | None
) -> Table:
    """Return the table that a manifest's entry describes, read from the disk as it is needed.

    Raises
    ------
    StoreError
        If a file is damaged.
    ValueError, LookupError, TypeError
        If the entry is not what `write_table` returns for such a table.
    """
    arrays = {
        kind: map_array(folder, file, file["bytes"] <= ALWAYS_CHECKED)
        for kind, file in stored["files"].items()
    }
    if stored["layout"] == "nodes":
        return _node_table(reducer, **arrays)
    if plan is None:
        raise ValueError("there is no such tier in this game")
    return _rectangle_table(plan, stored, **arrays)


def in_memory(table: Table) -> Table:
    """Return a table that no file is needed for."""
    return replace(table, values=np.array(table.values)) if isinstance(table, TierTable) else table


def _node_table(
    reducer: Reducer, nodes: npt.NDArray[Any], values: npt.NDArray[Any]
) -> NodeTable:
    if nodes.dtype != np.int64 or nodes.ndim != 2 or nodes.shape[1] != 4:
        raise ValueError(f"nodes must be rows of four integers, not {nodes.dtype} {nodes.shape}")
    if values.shape != (len(nodes),) or values.dtype.kind != ("S" if reducer.exact else "f"):
        raise ValueError(f"{len(nodes)} values are needed, not {values.dtype} {values.shape}")
    records, order = Records.from_rows(tuple(nodes.T))
    if len(records) != len(nodes):
        raise ValueError("a node is listed twice")
    kept = reducer.values(len(records))
    kept[order] = [Fraction(v.decode()) for v in values] if reducer.exact else values
    return NodeTable(records, kept)


def _rectangle_table(
    plan: TierPlan, stored: Mapping[str, Any], values: npt.NDArray[Any], **others: npt.NDArray[Any]
) -> TierTable:
    if values.shape != (plan.length,) or values.dtype.name not in TABLE_TYPES:
        raise ValueError(f"{plan.length} values are needed, not {values.dtype} {values.shape}")
    for kind, array in arrays_of(plan).items():
        if not np.array_equal(others[kind], array):
            raise ValueError(f"the {kind} of tier {plan.tier} are not those of its game")
    if stored != describe_table(plan, values.dtype, stored["files"]) | {"report": stored["report"]}:
        raise ValueError(f"the table of tier {plan.tier} is not one of its game")
    return empty_table(plan, values=values)

"""The v3 chunk grids: regular, and rectilinear (zarr-extensions)."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Problem, Problems, shown
from zarrdb.metadata.resolve import AcceptedField
from zarrdb.metadata.shape import Ge
from zarrdb.metadata.v3.chunk import Lengths
from zarrdb.metadata.v3.kinds import ZarrV3ChunkGridDefinition

ZarrV3ChunkLength: TypeAlias = Annotated[int, Ge(1)]
"""A length that a chunk has, on an empty axis too."""

ZarrV3ChunkEdges: TypeAlias = (
    ZarrV3ChunkLength | tuple[ZarrV3ChunkLength | tuple[ZarrV3ChunkLength, ZarrV3ChunkLength], ...]
)
"""The chunks along an axis: one length for all of them, or the length of each, where
`[length, count]` stands for several that are equal."""


class ZarrV3RegularConfiguration(TypedDict, closed=True):
    """The shape of every chunk."""

    chunk_shape: ReadOnly[tuple[ZarrV3ChunkLength, ...]]


class ZarrV3RectilinearConfiguration(TypedDict, closed=True):
    """The chunks along each axis, written here."""

    kind: ReadOnly[Literal["inline"]]
    chunk_shapes: ReadOnly[tuple[ZarrV3ChunkEdges, ...]]


def _rank_problems(member: str, count: int, shape: tuple[int, ...]) -> Problems:
    if count == len(shape):
        return ()
    text = f"expected as many lengths as `shape` has, {len(shape)}, got {count}"
    return (Problem((member,), "invalid_value", text, reasons.RANK_MISMATCH),)


def _regular_shape_rules(grid: AcceptedField, shape: tuple[int, ...]) -> Problems:
    return _rank_problems("chunk_shape", len(grid.configuration["chunk_shape"]), shape)


def _regular_lengths(grid: AcceptedField) -> Lengths:
    return tuple(grid.configuration["chunk_shape"])


def _runs(edges: Any) -> list[tuple[int, int]]:
    """The chunks along an axis as lengths and counts."""
    return [(each, 1) if isinstance(each, int) else (each[0], each[1]) for each in edges]


def _rectilinear_shape_rules(grid: AcceptedField, shape: tuple[int, ...]) -> Problems:
    axes = grid.configuration["chunk_shapes"]
    problems = list(_rank_problems("chunk_shapes", len(axes), shape))
    for axis, (edges, size) in enumerate(zip(axes, shape, strict=False) if not problems else ()):
        if isinstance(edges, int):
            continue
        covered = sum(length * count for length, count in _runs(edges))
        if covered < size:
            text = f"chunks of {shown(covered)} items together do not cover {shown(size)}"
            loc = ("chunk_shapes", axis)
            problems.append(Problem(loc, "invalid_value", text, reasons.NOT_COVERED))
    return tuple(problems)


def _rectilinear_lengths(grid: AcceptedField) -> Lengths:
    return tuple(
        edges if isinstance(edges, int) else frozenset(length for length, _ in _runs(edges))
        for edges in grid.configuration["chunk_shapes"]
    )


def _rectilinear_canonical(configuration: Any) -> Any:
    shapes = [
        edges if isinstance(edges, int) else _merged(edges)
        for edges in configuration["chunk_shapes"]
    ]
    return {**configuration, "chunk_shapes": shapes}


def _merged(edges: Any) -> list[Any]:
    """Equal chunks in a row as a length and a count."""
    runs: list[tuple[int, int]] = []
    for length, count in _runs(edges):
        if runs and runs[-1][0] == length:
            count += runs.pop()[1]
        runs.append((length, count))
    return [length if count == 1 else [length, count] for length, count in runs]


REGULAR_CHUNK_GRID_V3: Final = ZarrV3ChunkGridDefinition[Any](
    name="regular",
    configuration=ZarrV3RegularConfiguration,
    shape_rules=_regular_shape_rules,
    chunk_lengths=_regular_lengths,
)
"""Chunks of one shape."""

RECTILINEAR_CHUNK_GRID_V3: Final = ZarrV3ChunkGridDefinition[Any](
    name="rectilinear",
    configuration=ZarrV3RectilinearConfiguration,
    canonical=_rectilinear_canonical,
    shape_rules=_rectilinear_shape_rules,
    chunk_lengths=_rectilinear_lengths,
)
"""Chunks that may differ along each axis."""

CHUNK_GRIDS_V3: Final[tuple[ZarrV3ChunkGridDefinition[Any], ...]] = (
    REGULAR_CHUNK_GRID_V3,
    RECTILINEAR_CHUNK_GRID_V3,
)
"""Every v3 chunk grid of the core scope."""

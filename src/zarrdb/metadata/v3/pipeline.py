"""Pipelines of v3 codecs: their order, and what each codec is given.

Zarr v3 core specification, "Chunk encoding": codecs from array to array, then one from array
to bytes, then codecs from bytes to bytes. A codec that nobody knows may be any of them, and
nothing is known of what it gives.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Problem, Problems, below, shown
from zarrdb.metadata.resolve import AcceptedField, ResolvedField
from zarrdb.metadata.v3.chunk import Chunk
from zarrdb.metadata.v3.envelope import CONFIGURATION

Pipelines: TypeAlias = Mapping[str, tuple["Stage", ...]]


class Stage(NamedTuple):
    """A codec in its place."""

    codec: ResolvedField
    given: Chunk | None
    """The chunks that it is given; None for one that is given bytes, or perhaps is."""
    inner: Pipelines = {}  # noqa: RUF012
    """The pipelines that it holds, by the member that holds their codecs."""


_PLACES: Final = {"array_array": 0, "array_bytes": 1, "bytes_bytes": 2}
_WORDS: Final = ("array to array", "array to bytes", "bytes to bytes")


def read_pipeline(
    codecs: Sequence[ResolvedField], chunk: Chunk
) -> tuple[tuple[Stage, ...], Problems]:
    """The codecs in their places, and what is wrong there, located from the list of them."""
    problems = list(_order_problems(codecs))
    stages: list[Stage] = []
    given: Chunk | None = chunk
    for index, codec in enumerate(codecs):
        definition: Any = codec.definition
        kind = None if definition is None else definition.kind
        if kind is None or kind == "bytes_bytes":
            stages.append(Stage(codec, given if kind is None else None))
            given = None
            continue
        given = given or _UNKNOWN
        inner: Pipelines = _NONE
        if isinstance(codec, AcceptedField):
            inner, found = _judged(codec, definition, given)
            if found:
                problems += below((index, *CONFIGURATION), found)
        stages.append(Stage(codec, given, inner))
        given = _handed_on(codec, definition, given) if kind == "array_array" else None
    return tuple(stages), tuple(problems)


def is_by_rank(codecs: Sequence[ResolvedField]) -> bool:
    """Whether what is wrong with a pipeline is the same for chunks of other lengths."""
    for codec in codecs:
        definition: Any = codec.definition
        if definition is None or definition.by_rank or definition.kind == "bytes_bytes":
            continue
        return False
    return True


def _handed_on(codec: ResolvedField, definition: Any, given: Chunk) -> Chunk:
    """What the next codec is given by one that makes chunks of chunks."""
    if not isinstance(codec, AcceptedField) or definition.hands_on is None:
        return _UNKNOWN
    chunk: Chunk = definition.hands_on(codec, given)
    return chunk


def _judged(codec: AcceptedField, definition: Any, given: Chunk) -> tuple[Pipelines, Problems]:
    """The pipelines within a codec, and what is wrong with it for chunks that it is given."""
    rules = definition.chunk_rules
    problems: Problems = () if rules is None else rules(codec, given)
    if definition.pipelines is None:
        return _NONE, problems
    inner: dict[str, tuple[Stage, ...]] = {}
    for member, chunk in definition.pipelines(codec, given).items():
        start = (*CONFIGURATION, member)
        codecs = [field for loc, field in codec.nested if loc[:-1] == start]
        inner[member], found = read_pipeline(codecs, chunk)
        problems += below((member,), found)
    return inner, problems


def _order_problems(codecs: Sequence[ResolvedField]) -> list[Problem]:
    """Codecs that stand behind one that comes later, and what is missing or too many."""
    problems: list[Problem] = []
    furthest, encoder, all_known = 0, "", True
    last = ""
    for index, codec in enumerate(codecs):
        definition: Any = codec.definition
        place = None if definition is None else _PLACES.get(definition.kind)
        if place is None:
            all_known = False
            continue
        if place < furthest:
            text = f"a codec from {_WORDS[place]} comes before {shown(last)}"
            problems.append(Problem((index,), "invalid_value", text, reasons.CODEC_ORDER))
        elif place == 1 and encoder:
            text = f"only one codec goes from array to bytes, and {shown(encoder)} does"
            problems.append(Problem((index,), "invalid_value", text, reasons.SECOND_ENCODER))
        else:
            furthest, last = place, codec.name or ""
        if place == 1:
            encoder = encoder or codec.name or ""
    if all_known and not encoder:
        text = "no codec from array to bytes, such as `bytes`"
        problems.append(Problem((), "invalid_value", text, reasons.NO_ENCODER))
    return problems


_UNKNOWN: Final = Chunk()
_NONE: Final[Pipelines] = {}

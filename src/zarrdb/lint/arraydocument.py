"""An array document that was read, as rules look at it."""

from collections.abc import Iterator
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

from zarrdb.hierarchy.arrays import Layout, Shape, chunk_counts, lengths, named
from zarrdb.hierarchy.labels import data_type_v2, data_type_v3
from zarrdb.lint.finding import Hit
from zarrdb.lint.stored import Codec, Stored, stored
from zarrdb.metadata import AcceptedField, Loc, Problems, ResolvedField
from zarrdb.metadata.document import stored_pointer
from zarrdb.metadata.reading import Reading, Unclaimed
from zarrdb.metadata.scope import Scope

if TYPE_CHECKING:
    from zarrdb.arrays.verify import Verifier


class Dialect(Protocol):
    """What differs between the formats when a document is looked at."""

    zarr_format: int
    core: Scope
    """The scope of what the format's specifications define."""

    def item_size(self, reading: Reading) -> int | None:
        """Bytes of one item of an array, None where they are not known or vary."""
        ...

    def refuses(self, fill_value: Any, data_type: ResolvedField) -> bool:
        """Whether a number is wrong as the fill value of a data type that was read."""
        ...

    def layout(self, value: dict[str, Any]) -> Layout | None:
        """The layout of an array's chunks, None where the document does not tell."""
        ...


class NodeDocument:
    """The members of the document of an array or group, and their reading."""

    def __init__(
        self,
        key: str,
        name: str,
        value: dict[str, Any],
        reading: Reading,
        dialect: Dialect,
        *,
        notes: Problems = (),
    ) -> None:
        self.key = key
        self.name = name
        self.value = value
        self.reading = reading
        self.dialect = dialect
        self.notes = notes
        """What is no fault of the document, and yet stops a reader or misleads it."""

    @property
    def zarr_format(self) -> int:
        """2 or 3."""
        return self.dialect.zarr_format

    def hit(self, loc: Loc, message: str, hint: str | None = None) -> Hit:
        """A hit at a location of the document, which the message begins with."""
        place = ".".join(map(str, loc))
        text = f"{place}: {message}" if place else message
        return Hit(text, hint, self.key, pointer=stored_pointer(self.name, self.value, loc))


class ArrayDocument(NodeDocument):
    """A `.zarray`, or a `zarr.json` of an array."""

    @cached_property
    def shape(self) -> tuple[int, ...] | None:
        """The shape, if it is one."""
        return lengths(self.value.get("shape"))

    @cached_property
    def chunks(self) -> tuple[int, ...] | None:
        """The shape of a stored chunk, if the grid is regular and has one for each axis."""
        if self.zarr_format == 2:
            chunks = lengths(self.value.get("chunks"))
        else:
            name, configuration = named(self.value.get("chunk_grid"))
            chunks = lengths(configuration.get("chunk_shape")) if name == "regular" else None
        same = chunks is not None and self.shape is not None and len(chunks) == len(self.shape)
        return chunks if same else None

    def alike(
        self, key: str, value: dict[str, Any], shape: Shape, chunks: Shape
    ) -> "ArrayDocument":
        """A document that is known to be read like this one, with a shape of its own."""
        reading = type(self.reading)(value, self.reading.scope, (), self.reading.fields)
        other = ArrayDocument(key, self.name, value, reading, self.dialect)
        known: dict[str, Any] = {"shape": shape, "chunks": chunks, "item_size": self.item_size}
        counts = chunk_counts(shape, chunks)
        if self.layout is not None and counts is not None:
            known["layout"] = Layout(counts, self.layout.encoding, self.layout.separator)
        if chunks == self.chunks:
            known["stored"] = self.stored
        vars(other).update(known)
        return other

    def chunks_loc(self, *axis: int) -> Loc:
        """Where the chunk shape is."""
        if self.zarr_format == 2:
            return ("chunks", *axis)
        return ("chunk_grid", "configuration", "chunk_shape", *axis)

    @property
    def data_type_loc(self) -> Loc:
        """Where the data type is."""
        return ("dtype",) if self.zarr_format == 2 else ("data_type",)

    @cached_property
    def data_type(self) -> ResolvedField | None:
        """The data type as it was read."""
        return self.reading.field_at(*self.data_type_loc)

    @property
    def family(self) -> str | None:
        """The name under which the data type's definition is filed, if it was accepted."""
        field = self.data_type
        if isinstance(field, AcceptedField) and field.definition is not None:
            return field.definition.name
        return None

    @property
    def type_name(self) -> str | None:
        """zarr's name of the data type, the same in both formats; None where it has none."""
        if self.zarr_format == 2:
            found = data_type_v2(self.value.get("dtype"), self.value.get("filters"))
        else:
            found = data_type_v3(self.value.get("data_type"))
        return None if found is None else found.name

    @cached_property
    def item_size(self) -> int | None:
        """Bytes of one item, where they are known."""
        return self.dialect.item_size(self.reading)

    @cached_property
    def codecs(self) -> tuple[tuple[Loc, ResolvedField], ...]:
        """Filters and compressor, or the pipeline, with their locations."""
        return tuple(
            (loc, field)
            for loc, field in self.reading.fields
            if loc[0] in ("filters", "compressor", "codecs")
        )

    @cached_property
    def layout(self) -> Layout | None:
        """The layout of the chunks, where the document is clear about it."""
        return self.dialect.layout(self.value)

    @cached_property
    def chunks_total(self) -> int:
        """How many chunks there are."""
        return 0 if self.layout is None else prod(self.layout.lengths)

    @cached_property
    def stored(self) -> Stored | None:
        """What is known of the array's values, where its document is clear."""
        if self.chunks is None or self.reading.problems:
            return None
        return stored(self.chunks, self.item_size, self._pipeline())

    def _pipeline(self) -> Iterator[Codec]:
        """Name and parameters of each codec, in the order in which they encode."""
        if self.zarr_format == 3:
            codecs = self.value.get("codecs")
            yield from map(named, codecs if isinstance(codecs, list) else ())
            return
        for _, field in sorted(self.codecs, key=lambda each: each[0][0] == "compressor"):
            if isinstance(field, AcceptedField) and field.name is not None:
                yield field.name, field.configuration
            else:
                yield "", {}

    def verifier(self) -> "tuple[Verifier | None, str | None]":
        """What decodes the chunks, or why they are not decoded."""
        from zarrdb.arrays.verify import verifier_v2, verifier_v3

        if self.chunks is None or self.reading.problems:
            return None, None
        for each in self.reading.unclaimed:
            return None, f"{each.name} is outside the scope"
        if self.zarr_format == 2:
            found: Verifier | None = verifier_v2(self.value, self.item_size)
        else:
            found = verifier_v3(self.value["codecs"], self.chunks, self.item_size)
        obstacle = "its shards have an unusual form" if found is None else found.obstacle()
        return (found if obstacle is None else None), obstacle

    def has_problem(self, member: str) -> bool:
        """Whether the engine found anything wrong in a member."""
        return any(problem.loc[:1] == (member,) for problem in self.reading.problems)

    def left_out(self) -> Iterator[Unclaimed]:
        """Unclaimed fields that the core knows: the project's scope leaves them out."""
        for each in self.reading.unclaimed:
            core = self.dialect.core
            if core.claimant(core.kinds[each.slot], each.name) is not None:
                yield each

    def strangers(self, slot: str) -> Iterator[Unclaimed]:
        """Unclaimed fields of a slot that the core does not know either."""
        known = set(self.left_out())
        for each in self.reading.unclaimed:
            if each.slot == slot and each not in known:
                yield each

    def names(self, slot: str) -> list[str]:
        """The names that the scope knows, of a slot such as `codecs`."""
        scope = self.reading.scope
        return list(scope.definitions_of(scope.kinds[slot]))

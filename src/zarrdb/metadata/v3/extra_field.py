"""Members of v3 documents that the specification does not define, each a field by its key.

Such a field is written as the member alone, `{key: value}`. Readers must understand it unless
its value says `"must_understand": false`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from typing_extensions import TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.checks import wrong_type
from zarrdb.metadata.definition import C, Definition, Written
from zarrdb.metadata.problem import Problem, shown
from zarrdb.metadata.value import JSONValue

GROUP_MEMBERS: Final = frozenset({"zarr_format", "node_type", "attributes"})
"""The members of a group that the specification defines."""

ARRAY_MEMBERS: Final = GROUP_MEMBERS | {
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "fill_value",
    "codecs",
    "storage_transformers",
    "dimension_names",
}
"""The members of an array that the specification defines."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ZarrV3ExtraFieldDefinition(Definition[C]):
    """What the kinds of extra fields have in common.

    `finite` requires that every number in the member is; one that holds documents of its own
    does not.
    """

    zarr_format: ClassVar[int] = 3
    defined: ClassVar[frozenset[str]]
    """The members that are no extra fields."""

    finite: bool = True

    @classmethod
    def name_refusal(cls, name: object) -> str | None:
        if not isinstance(name, str):
            return "a member's name is a text"
        return "the specification defines this member" if name in cls.defined else None

    @classmethod
    def filed_under(cls, name: str) -> str | None:
        return None if name in cls.defined else name

    @classmethod
    def written(cls, value: object) -> Written:
        if isinstance(value, dict) and len(value) == 1:
            ((name, member),) = value.items()
            if cls.name_refusal(name) is None:
                problems = wrong_type("an object", member) if member is None else ()
                return Written(name, member, problems)
        text = f"expected an object with one member that is no other's, got {shown(value)}"
        return Written(None, None, (Problem((), "invalid_type", text, reasons.WRONG_FORM),))

    @classmethod
    def joined(cls, name: str, configuration: dict[str, Any]) -> JSONValue:
        return {name: configuration}


class ZarrV3ArrayExtraFieldDefinition(ZarrV3ExtraFieldDefinition[C]):
    """An extra field of an array."""

    label: ClassVar[str] = "v3 array member"
    slot: ClassVar[str] = "array_extra_fields"
    defined: ClassVar[frozenset[str]] = ARRAY_MEMBERS


class ZarrV3GroupExtraFieldDefinition(ZarrV3ExtraFieldDefinition[C]):
    """An extra field of a group; `consolidated_metadata` is one."""

    label: ClassVar[str] = "v3 group member"
    slot: ClassVar[str] = "group_extra_fields"
    defined: ClassVar[frozenset[str]] = GROUP_MEMBERS


class ZarrV3ConsolidatedEnvelopeJSON(TypedDict, closed=True):
    """What holds the documents that a group lists, whatever they are."""

    kind: Literal["inline"]
    must_understand: Literal[False]
    metadata: Mapping[str, JSONValue]


CONSOLIDATED_METADATA_V3: Final = ZarrV3GroupExtraFieldDefinition(
    name="consolidated_metadata", configuration=ZarrV3ConsolidatedEnvelopeJSON, finite=False
)
"""The documents of all nodes below a group (core specification, "Group metadata")."""


def is_waived(member: object) -> bool:
    """Whether a member says that a reader may leave it alone."""
    return isinstance(member, dict) and member.get("must_understand") is False

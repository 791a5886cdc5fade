"""The shape of v3 group metadata: the `zarr.json` of a group, and the documents it may list."""

from collections.abc import Mapping
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from zarrdb.metadata.v3.array import ZarrV3ArrayMetadataJSON
from zarrdb.metadata.value import JSONValue


class ZarrV3GroupMetadataJSON(TypedDict, extra_items=JSONValue):  # type: ignore[call-arg]
    """A `zarr.json` of a group (core specification, "Group metadata")."""

    zarr_format: Literal[3]
    node_type: Literal["group"]
    attributes: NotRequired[Mapping[str, JSONValue]]


class ZarrV3ConsolidatedMetadataJSON(TypedDict, closed=True):
    """The member `consolidated_metadata` of a group: the document of every node below it.

    The keys are paths from the group. The specification fixes only the members; what they
    list is what zarr-python writes.
    """

    kind: Literal["inline"]
    must_understand: Literal[False]
    metadata: Mapping[str, ZarrV3ArrayMetadataJSON | ZarrV3GroupMetadataJSON]


__all__ = ["ZarrV3ConsolidatedMetadataJSON", "ZarrV3GroupMetadataJSON"]

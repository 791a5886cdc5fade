"""The v2 object family, `|O`: Python objects, which a filter has to encode."""

from typing import Any, Final

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata.v2.data_type.scalar import ZarrV2ByteOrder
from zarrdb.metadata.v2.kinds import ZarrV2DataTypeDefinition


class ZarrV2ObjectConfiguration(TypedDict, closed=True):
    """What `|O` carries: a byte order that means nothing, and no size."""

    byteorder: ReadOnly[ZarrV2ByteOrder]


def _canonical(_: Any) -> Any:
    return {"byteorder": "|"}


OBJECT_DATA_TYPE_V2: Final = ZarrV2DataTypeDefinition(
    name="object",
    configuration=ZarrV2ObjectConfiguration,
    canonical=_canonical,
)
"""`|O`: the fill value is any JSON value."""

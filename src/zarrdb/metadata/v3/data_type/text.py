"""The v3 data type `string` (zarr-extensions): text of any length."""

from typing import Final

from zarrdb.metadata.definition import EmptyConfiguration
from zarrdb.metadata.v3.chunk import VARIABLE
from zarrdb.metadata.v3.kinds import ZarrV3DataTypeDefinition

STRING_DATA_TYPE_V3: Final = ZarrV3DataTypeDefinition(
    name="string", configuration=EmptyConfiguration, fill_value=str, storage=VARIABLE
)
"""Text, each value of any length."""

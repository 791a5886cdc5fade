"""Every reason a problem can have, in one place.

A reason is a stable slug: rules are chosen by it together with the member it was found in
(`out-of-range` in `fill_value` is one rule, in `compressor` another).
"""

from typing import Final

# Bytes and documents
INVALID_JSON: Final = "invalid-json"  # the bytes are no JSON text
WRONG_ENCODING: Final = "wrong-encoding"  # the bytes are no text of any Unicode encoding
NOT_AN_OBJECT: Final = "not-an-object"  # a document, or attributes, that is no object
NOT_FINITE: Final = "not-finite"  # NaN, Infinity, or a number too large for a float
TOO_DEEP: Final = "too-deep"  # nested past 256 levels
NOT_JSON: Final = "not-json"  # a Python value that JSON does not have

# Types and values of members
WRONG_TYPE: Final = "wrong-type"  # a value of another JSON type
INTEGRAL_FLOAT: Final = "integral-float"  # 1.0 or 1e2 where an integer is needed
OUT_OF_RANGE: Final = "out-of-range"  # a number past a bound
NOT_ALLOWED: Final = "not-allowed"  # none of the values of a closed set
WRONG_LENGTH: Final = "wrong-length"  # an array of another length
MISSING_MEMBER: Final = "missing-member"  # a required member that is absent
UNKNOWN_MEMBER: Final = "unknown-member"  # a member that is not described
MISPLACED_MEMBER: Final = "misplaced-member"  # a member that belongs in another document
RANK_MISMATCH: Final = "rank-mismatch"  # as many axes as the shape does not have

# Forms and names of fields (data types, codecs, grids, encodings)
WRONG_FORM: Final = "wrong-form"  # neither of the forms that the field has
MISSING_NAME: Final = "missing-name"  # no `id` or `name`
WRONG_NAME: Final = "wrong-name"  # an `id` or `name` that is no string, or empty
OTHER_FORMAT: Final = "other-format-name"  # a name of the other Zarr format

# Data types
BAD_TYPESTR: Final = "bad-typestr"  # not of the form `<f4`
MISSING_SIZE: Final = "missing-size"  # a typestr without its size
WRONG_SIZE: Final = "wrong-size"  # a size that the family does not have
WRONG_BYTE_ORDER: Final = "wrong-byte-order"  # `|` before a type of several bytes
MISSING_UNIT: Final = "missing-unit"  # a time type without its unit
WRONG_UNIT: Final = "wrong-unit"  # no unit of time, or a unit on another type
WRONG_FACTOR: Final = "wrong-factor"  # a multiple of the unit that is out of range
DUPLICATE_FIELD: Final = "duplicate-field"  # two fields of a record with one name

# Fill values
LEGACY_NUMBER: Final = "legacy-number"  # 0 or 1 as old writers put it for another type
NUMBER_AS_TEXT: Final = "number-as-text"  # "0" for 0
WRONG_SPELLING: Final = "wrong-spelling"  # "nan" for "NaN"
NOT_BASE64: Final = "not-base64"  # no standard, padded base64
WRONG_BYTE_LENGTH: Final = "wrong-byte-length"  # base64 of another number of bytes

# Codecs
NOT_A_FLOAT_TYPE: Final = "not-a-float-type"  # a data type parameter that must name a float

# Nodes and consolidated metadata
ARRAY_AND_GROUP: Final = "array-and-group"  # documents of both at one path
NO_NODE: Final = "no-node"  # neither document
NODE_BELOW_ARRAY: Final = "node-below-array"  # a node inside an array
MISSING_GROUP: Final = "missing-group"  # a node whose parent group is not listed
RELATIVE_PATH: Final = "relative-path"  # a `.` or `..` in a path
DUPLICATE_NODE: Final = "duplicate-node"  # one node under two spellings of its path

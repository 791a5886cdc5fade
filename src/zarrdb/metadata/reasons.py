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
NULL_MEMBER: Final = "null-member"  # null where a member should be absent
RANK_MISMATCH: Final = "rank-mismatch"  # as many axes as the shape does not have
ZERO_CHUNK: Final = "zero-chunk"  # a chunk length 0 on an axis with items
ZERO_CHUNK_ON_EMPTY_AXIS: Final = "zero-chunk-on-empty-axis"  # the same on one without
NOT_COVERED: Final = "not-covered"  # chunk lengths that do not reach to the end of an axis
DUPLICATE_NAME: Final = "duplicate-name"  # one dimension name on two axes
STORAGE_TRANSFORMER: Final = "storage-transformer"  # stored bytes are not what they seem

# Forms and names of fields (data types, codecs, grids, encodings)
WRONG_FORM: Final = "wrong-form"  # neither of the forms that the field has
MISSING_NAME: Final = "missing-name"  # no `id` or `name`
WRONG_NAME: Final = "wrong-name"  # an `id` or `name` that is no string, or empty
OTHER_FORMAT: Final = "other-format-name"  # a name of the other Zarr format
NOT_SKIPPABLE: Final = "not-skippable"  # `must_understand: false` where all must understand
RENAMED: Final = "renamed"  # a name of a draft of the specification

# Data types
BAD_TYPESTR: Final = "bad-typestr"  # not of the form `<f4`
MISSING_SIZE: Final = "missing-size"  # a typestr without its size
WRONG_SIZE: Final = "wrong-size"  # a size that the family does not have
WRONG_BYTE_ORDER: Final = "wrong-byte-order"  # `|` before a type of several bytes
MISSING_UNIT: Final = "missing-unit"  # a time type without its unit
WRONG_UNIT: Final = "wrong-unit"  # no unit of time, or a unit on another type
WRONG_FACTOR: Final = "wrong-factor"  # a multiple of the unit that is out of range
DUPLICATE_FIELD: Final = "duplicate-field"  # two fields of a record with one name
NO_FIELDS: Final = "no-fields"  # a record without fields
NAMELESS_FIELD: Final = "nameless-field"  # a field of a record with an empty name

# Fill values
NULL_FILL_VALUE: Final = "null-fill-value"  # null, which v3 does not have
WRONG_HEX: Final = "wrong-hex"  # bits of a float in another form or number
LEGACY_NUMBER: Final = "legacy-number"  # 0 or 1 as old writers put it for another type
NUMBER_AS_TEXT: Final = "number-as-text"  # "0" for 0
WRONG_SPELLING: Final = "wrong-spelling"  # "nan" for "NaN"
NOT_BASE64: Final = "not-base64"  # no standard, padded base64
WRONG_BYTE_LENGTH: Final = "wrong-byte-length"  # base64 of another number of bytes

# Codecs
WRONG_DATA_TYPE: Final = "wrong-data-type"  # a codec that cannot take such values
NO_ENCODER: Final = "no-array-to-bytes"  # a pipeline without its array-to-bytes codec
SECOND_ENCODER: Final = "second-array-to-bytes"  # a pipeline with two of them
CODEC_ORDER: Final = "codec-order"  # a codec behind one that belongs after it
NOT_A_PERMUTATION: Final = "not-a-permutation"  # an order of axes with one left out or doubled
NOT_DIVIDED: Final = "not-divided"  # inner chunks that do not divide the shard
VARIABLE_SIZE: Final = "variable-size"  # an index codec whose size is not known beforehand
NOT_A_FLOAT_TYPE: Final = "not-a-float-type"  # a data type parameter that must name a float

# Nodes and consolidated metadata
ARRAY_AND_GROUP: Final = "array-and-group"  # documents of both at one path
NO_NODE: Final = "no-node"  # neither document
NODE_BELOW_ARRAY: Final = "node-below-array"  # a node inside an array
MISSING_GROUP: Final = "missing-group"  # a node whose parent group is not listed
RELATIVE_PATH: Final = "relative-path"  # a `.` or `..` in a path
BAD_PATH: Final = "bad-path"  # no path of a node below the group
CONTRADICTION: Final = "contradiction"  # two entries that describe one node otherwise
DUPLICATE_NODE: Final = "duplicate-node"  # one node under two spellings of its path

from helpers_lint import array2, array3, fails, passes

FAILING = [
    fails({".zarray": array2(dtype=dtype, fill_value=value)}, {"pointer": "/fill_value"})
    for dtype, value in (
        ("|u1", 300),
        ("|u1", -1),
        ("|i1", 128),
        ("<i4", -999999999999),
        ("<u8", 2**64),
        ("<i8", 2**63),
    )
]

FAILING += [
    fails({"zarr.json": array3(data_type="uint8", fill_value=value)}, {"pointer": "/fill_value"})
    for value in (256, -1)
]

PASSING = [
    passes({".zarray": array2(dtype=dtype, fill_value=value)})
    for dtype, value in (("|u1", 255), ("<u8", 2**64 - 1), ("<i8", -(2**63)))
]

from helpers_lint import array2, array3, fails, passes

FAILING = [
    fails({".zarray": array2(dtype=dtype, fill_value=value)}, {"pointer": pointer})
    for dtype, value, pointer in (
        ("<i4", "0", "/fill_value"),
        ("<i4", 1.5, "/fill_value"),
        ("<i4", True, "/fill_value"),
        ("<f4", "nan", "/fill_value"),
        ("<f4", "0.0", "/fill_value"),
        ("<U3", 1, "/fill_value"),
        ("<c8", 1.0, "/fill_value"),
        ("<c8", [1.0, None], "/fill_value/1"),
        ("|b1", "true", "/fill_value"),
        ("|b1", 2, "/fill_value"),
        ("<M8[ns]", "2020-01-01", "/fill_value"),
        ("|S4", [88], "/fill_value"),
    )
] + [
    fails({".zarray": array2(fill_value="7")}, {"hint": "write the number without quotes"}),
]

FAILING += [
    fails({"zarr.json": array3(data_type=dtype, fill_value=value)}, {"pointer": "/fill_value"})
    for dtype, value in (
        ("int32", "0"),
        ("bool", 0),
        ("float32", "nan"),
        ("float32", "0x7fc0"),
        ("complex64", 0),
        ("int32", 1.5),
    )
]

PASSING = [
    passes({".zarray": array2(dtype=dtype, fill_value=value)})
    for dtype, value in (
        ("<i4", -1),
        ("<i4", None),
        ("<f4", "NaN"),
        ("<f4", "-Infinity"),
        ("<f4", 1),
        ("<c8", ["NaN", 0.5]),
        ("<U3", ""),
        ("<M8[ns]", "NaT"),
        ("<M8[ns]", 0),
        ("|S4", "WA=="),
    )
]

PASSING += [
    passes({"zarr.json": array3(data_type="float32", fill_value=value)})
    for value in (0, 0.5, "NaN", "-Infinity", "0x7fc00000")
]

from helpers_lint import array2, array3, fails, passes

BAD: tuple[object, ...] = (
    "f4",
    "<f",
    "|S",
    "<U",
    "<f3",
    "|f4",
    "<M8",
    "<M8[parsec]",
    "<M8[0s]",
    "|?",
    "",
    "int",
    4,
    None,
    {},
)
BAD3: tuple[object, ...] = ("Int32", "", 4, None, [], "r12", {"configuration": {}})

FAILING = [
    fails({".zarray": array2(dtype=dtype, fill_value=None)}, {"pointer": "/dtype"}) for dtype in BAD
] + [fails({".zarray": array2(dtype=[["a", "<f3"]], fill_value=None)}, {"pointer": "/dtype/0/1"})]

FAILING += [fails({"zarr.json": array3(data_type=dtype)}, {"key": "zarr.json"}) for dtype in BAD3]

PASSING = [
    passes({".zarray": array2(dtype=dtype, fill_value=None)})
    for dtype in ("<f4", ">i2", "|u1", "|S7", "<U3", "<M8[ns]", "<m8[10s]", "|V16", "<t4")
] + [passes({".zarray": array2(dtype=[["a", "<f4"], ["b", "|u1", [3]]], fill_value=None)})]

PASSING += [
    passes({"zarr.json": array3(data_type=dtype, fill_value=fill)})
    for dtype, fill in (("int32", 0), ("bool", False), ({"name": "int32"}, 0), ("r16", [0, 0]))
]

from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(_NCZARR_ARRAY={"x": 1})}, {"pointer": "/_NCZARR_ARRAY"}),
    fails({".zarray": array2(b=1, a=None)}, {"pointer": "/b"}, {"pointer": "/a"}),
]

PASSING = [passes({".zarray": array2(), ".zattrs": {"_NCZARR_ARRAY": 1}})]

from helpers_lint import GROUP2, fails, passes

FAILING = [
    fails({".zgroup": GROUP2, ".zattrs": b'{"a": 1e999}'}, {"pointer": "/a", "column": 7}),
    fails({".zgroup": GROUP2, ".zattrs": b'{"a": 1' + b"0" * 5000 + b"}"}, {"pointer": "/a"}),
]

PASSING = [passes({".zgroup": GROUP2, ".zattrs": b'{"a": 1e308, "b": 1' + b"0" * 400 + b"}"})]

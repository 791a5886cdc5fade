from helpers_lint import GROUP2, fails, passes

FAILING = [
    fails({".zgroup": GROUP2, ".zattrs": b'{"a": "\\ud800"}'}, {"pointer": "/a"}),
    fails({".zgroup": GROUP2, ".zattrs": b'{"a\\udc00": 1}'}, {"key": ".zattrs"}),
]

PASSING = [passes({".zgroup": GROUP2, ".zattrs": b'{"a": "\\ud83d\\ude00"}'})]

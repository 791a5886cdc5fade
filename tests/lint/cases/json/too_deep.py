from helpers_lint import GROUP2, fails, passes


def nested(levels: int) -> bytes:
    return b'{"a":' * levels + b"1" + b"}" * levels


FAILING = [
    fails({".zgroup": GROUP2, ".zattrs": nested(257)}, {"key": ".zattrs", "line": 1}),
    fails({".zgroup": GROUP2, ".zattrs": nested(100_000)}, {"key": ".zattrs"}),
]

PASSING = [passes({".zgroup": GROUP2, ".zattrs": nested(250)})]

from helpers_lint import GROUP2, fails, passes

FAILING = [
    fails({".zgroup": b'\xef\xbb\xbf{"zarr_format": 2}'}, {"line": 1, "column": 1, "fixable": True})
]

PASSING = [passes({".zgroup": GROUP2})]

from helpers_lint import GROUP3, fails, passes

FAILING = [
    *(
        fails({"zarr.json": GROUP3, key: b""}, {"key": key})
        for key in ("a\\b", "a\tb", "a\x7f", "a?b", "x.", "x ", "con", "NUL.txt", "é" * 128)
    ),
    fails({"zarr.json": GROUP3, "lpt1/x": b""}, {"node": "lpt1"}),
    fails({"zarr.json": GROUP3, "a": b"", "a!": b"", "a/b": b""}, {"key": "a", "count": 1}),
    fails({"zarr.json": GROUP3, "Ab": b"", "aB": b"", "x": b""}, {"key": "aB"}),
    fails({"zarr.json": GROUP3, "Ab/x": b"", "ab/y": b""}, {"node": "ab"}),
    fails({"zarr.json": GROUP3, "e\u0301": b"", "é": b""}, {"key": "é"}),
]

PASSING = [
    passes({"zarr.json": GROUP3, "a b": b"", "conduct": b"", "Ab": b"", "c/ab": b"", "é": b""}),
    passes({"zarr.json": GROUP3, "a": b"", "a!/b": b"", "ab": b"", "x" * 255: b""}),
]

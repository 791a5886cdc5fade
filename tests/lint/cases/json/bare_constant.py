from helpers_lint import GROUP2, GROUP3, array2, array3, encoded, fails, passes

FLOAT2 = encoded(array2(dtype="<f4", fill_value=...))[:-1]
FLOAT3 = encoded(array3(data_type="float32", fill_value=...))[:-1]

FAILING = [
    fails(
        {".zgroup": GROUP2, "a/.zarray": FLOAT2 + b', "fill_value": NaN}'},
        {"key": "a/.zarray", "pointer": "/fill_value"},
    ),
    fails(
        {"zarr.json": GROUP3, "a/zarr.json": FLOAT3 + b', "fill_value": -Infinity}'},
        {"key": "a/zarr.json", "pointer": "/fill_value", "hint": 'write "-Infinity"'},
    ),
]

PASSING = [
    passes({".zgroup": GROUP2, "a/.zarray": FLOAT2 + b', "fill_value": "NaN"}'}),
    passes({"zarr.json": GROUP3, "a/zarr.json": FLOAT3 + b', "fill_value": "Infinity"}'}),
]

"""Opens a result file with h5py, xarray and pandas as a user would, and checks values, units and dimensions."""
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
try:
    import h5netcdf  # noqa: F401  xarray's engine
    import h5py
    import numpy as np
    import xarray as xr
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-h5py python3-xarray python3-h5netcdf)")
    sys.exit(SKIPPED)


def text(value):
    """Text of fixed length, the way netCDF stores attributes, is bytes to h5py."""
    return value.decode() if isinstance(value, bytes) else [text(v) for v in value]


def check_h5py(path):
    with h5py.File(path, "r") as f:
        assert text(f.attrs["format"]) == "ridgepoint results" and text(f.attrs["title"]) == "by hand"
        assert f["scenario"].asstr()[()] == "name: by hand\nseed: 7\n"
        assert text(f["provenance"].attrs["seed"]) == "7"
        assert text(f["provenance"].attrs["calibrations"]) == ["some-gpu"]
        assert not {"command", "path", "date"} & set(f["provenance"].attrs)
        requests = f["requests"]
        assert requests["id"][:].tolist() == [0, 1, 2]
        assert text(requests["ttft_s"].attrs["units"]) == "s"
        assert requests["ttft_s"].dims[0].keys() == ["id"] and requests["ttft_s"].dims[0][0] == requests["id"]
        assert text(requests["status"].attrs["names"]) == ["completed", "refused", "unfinished"]
        assert text(requests["tenant"].attrs["names"]) == ["acme", "nightly"]
        assert requests["ttft_s"].compression == "gzip" and requests["ttft_s"].shuffle
        datasets = []
        f.visititems(lambda name, item: datasets.append(item) if isinstance(item, h5py.Dataset) else None)
        assert len(datasets) > 50
        for item in datasets:
            assert item.attrs["units"] and item.attrs["long_name"], item.name
            if item.attrs.get("CLASS") != b"DIMENSION_SCALE":
                assert all(len(dimension) == 1 for dimension in item.dims), f"{item.name}: dimension without a scale"
        parts = ["compute_ns", "memory_ns", "interconnect_ns", "overhead_ns", "idle_ns"]
        total = sum(f["replicas"][p][:] for p in parts)
        assert (total == f["replicas/wall_ns"][:]).all() and total.dtype == np.int64


def check_xarray(path):
    with xr.open_dataset(path, group="requests", engine="h5netcdf") as requests:
        assert requests.ttft_s.dims == ("id",)
        assert requests.ttft_s.dtype == np.float64, "durations must stay numbers of seconds"
        assert requests.ttft_s.attrs["units"] == "s"
        np.testing.assert_array_equal(requests.ttft_s, [0.1, 0.3, np.nan])
        np.testing.assert_array_equal(requests.e2e_s, [0.14, 0.3, np.nan])
        np.testing.assert_array_equal(requests.tpot_s, [0.01, np.nan, np.nan])
        np.testing.assert_array_equal(requests.slo_met, [1, 0, -1])
        np.testing.assert_array_equal(requests.status, [0, 0, 1])
        assert requests.sel(id=1).output_tokens == 1
        frame = requests.to_dataframe()
        assert frame.index.name == "id" and frame.loc[0, "queued_s"] == 0.02
    with xr.open_dataset(path, group="timeseries", engine="h5netcdf") as series:
        assert series.running.dims == ("time_s", "replica")
        assert series.time_s.dtype == np.float64
        assert series.running.sel(time_s=2.0, replica=0) == 2
        np.testing.assert_array_equal(series.kv_used, [[0.5, 0], [0.25, 0.1]])
        np.testing.assert_array_equal(series.output_tokens_per_s, [[100, 0], [30, 5]])
        assert series.output_tokens_per_s.attrs["units"] == "s-1"
    with xr.open_dataset(path, group="histograms", engine="h5netcdf") as histograms:
        assert histograms.itl.dims == ("deployment", "itl_s")
        assert histograms.itl_upper.dims == ("itl_s",)
        assert int(histograms.itl.sum()) == 9
        assert float(histograms.itl_s[0]) <= 0.02 < float(histograms.itl_upper[0])
    with xr.open_dataset(path, group="replicas", engine="h5netcdf") as replicas:
        assert replicas.compute_ns.dims == ("replica",) and replicas.compute_ns.dtype == np.int64
        assert int(replicas.compute_ns[0]) == 500_000_000
    with xr.open_dataset(path, group="traces", engine="h5netcdf") as traces:
        assert traces.dropped.dims == ("trace", "reason")
        assert traces.reason.attrs["names"] == ["failed", "no output"]
        assert traces.reason.attrs["units"] == "1"
    with xr.open_dataset(path, group="replicas", engine="h5netcdf") as replicas:
        assert replicas.deployment.attrs["names"][0] == "main", "a single name is still in a list"
    with xr.open_dataset(path, group="steps", engine="h5netcdf") as steps:
        assert steps.tokens.dims == ("step",) and float(steps.end_s[0]) == 1.02
    for group in ("links", "deployments"):
        with xr.open_dataset(path, group=group, engine="h5netcdf") as table:
            assert list(table.dims) == ["deployment"]
    with xr.open_dataset(path, engine="h5netcdf") as root:
        assert root.attrs["title"] == "by hand"


def check_loader(path):
    import ridgepoint_results as rr

    requests = rr.requests(path)
    assert list(requests.index) == [0, 1, 2] and requests.index.name == "id"
    assert list(requests.columns[:2]) == ["arrival_s", "prompt_tokens"], "columns keep the file's order"
    assert list(requests.status) == ["completed", "completed", "refused"]
    assert requests[requests.stream == "chat"].ttft_s.mean() == 0.2
    assert list(rr.requests(path, names=False, columns=["status"]).status) == [0, 0, 1]
    series = rr.timeseries(path)
    assert series.running.dims == ("time_s", "replica") and series.running.sel(time_s=1.0, replica=0) == 3
    summary = rr.summary(path)
    assert summary["completed"] == 2 and summary["refused"] == 1 and abs(summary["mean_ttft_ms"] - 200) < 1e-9
    assert abs(summary["p99_ttft_ms"] - np.percentile([100, 300], 99)) < 1e-9
    assert list(rr.table(path, "replicas").deployment.cat.categories) == ["main"]
    assert rr.timeseries(path).attrs["title"] == "by hand" and series.running.attrs["units"] == "1"
    assert rr.scenario(path).startswith("name: by hand")
    assert rr.provenance(path)["calibrations"] == ["some-gpu"]
    assert rr.table(path, "replicas").wall_ns[1] == 4_000_000_000
    for refused in (lambda: rr.table(path, "nothing"), lambda: rr.requests(path, columns=["nothing"])):
        try:
            refused()
        except KeyError as error:
            assert "nothing" in str(error)
        else:
            raise AssertionError("a group or column that is not there must be refused")


def main(generator):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "known.h5"
        subprocess.run([generator, path], check=True)
        check_h5py(path)
        check_xarray(path)
        check_loader(path)


main(*sys.argv[1:])

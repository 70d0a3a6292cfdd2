"""Loads Ridgepoint result files with h5py; pandas and xarray objects where they are installed.

    import ridgepoint_results as rr
    rr.requests("run.h5")            # pandas.DataFrame, one row a request, index id
    rr.timeseries("run.h5")          # xarray.Dataset, dimensions time_s x replica
    rr.table("run.h5", "replicas")   # pandas.DataFrame of any table of one dimension
    rr.summary("run.h5")             # dict under the names of `vllm bench serve` (mean_ttft_ms, ...)
    rr.scenario("run.h5")            # the resolved scenario, YAML text
    rr.provenance("run.h5")          # version, commit, seed, calibrations

Files are also plain netCDF-4: xarray.open_dataset("run.h5", group="requests", engine="h5netcdf") works by itself.
Durations are seconds (`_s`) or whole nanoseconds (`_ns`); NaN means that there is none.
"""
import h5py

__all__ = ["requests", "timeseries", "table", "summary", "scenario", "provenance"]


def _open(path):
    """The file, once it is known to be a result. Raises ValueError for another HDF5 file, OSError for none."""
    file = h5py.File(path, "r")
    if _value(file.attrs.get("format")) != "ridgepoint results":
        file.close()
        raise ValueError(f"{path}: not a result file of ridgepoint run")
    return file


def _attributes(item):
    return {name: _value(value) for name, value in item.attrs.items()}


def _value(value):
    """An attribute as Python's own type. Text is of fixed length in the file, which h5py gives as bytes."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [_value(v) for v in value]
    return value.decode() if isinstance(value, bytes) else value


def _names(dataset):
    """What an index column points into, or None. A single name is followed by an empty one in the file."""
    names = _value(dataset.attrs.get("names"))
    return names[:1] if names and len(names) == 2 and not names[1] else names


def _is_scale(dataset):
    return dataset.attrs.get("CLASS") == b"DIMENSION_SCALE"


def table(path, group, names=True, columns=None):
    """The one-dimensional columns of a group as a pandas.DataFrame indexed by its coordinate.

    names: index columns that carry names (status, stream, slo_class, tenant, deployment) become categoricals.
    columns: which to read; all by default. Raises KeyError for a group or column that the file does not have.
    """
    import pandas as pd

    with _open(path) as file:
        if group not in file:
            raise KeyError(f"{path}: no /{group}; was it recorded (run.record)?")
        h5 = file[group]
        flat = [k for k in h5 if h5[k].ndim == 1 and not _is_scale(h5[k])]
        wanted = flat if columns is None else list(columns)
        missing = [k for k in wanted if k not in flat]
        if missing:
            raise KeyError(f"{path}: /{group} has no column {missing[0]}; it has {', '.join(flat)}")
        scale = h5[flat[0]].dims[0][0]
        data = {}
        for key in wanted:
            values, labels = h5[key][:], _names(h5[key])
            if names and labels is not None:
                values = pd.Categorical.from_codes(values, categories=labels)
            data[key] = values
        index = pd.Index(scale[:], name=scale.name.rsplit("/", 1)[-1])
        return pd.DataFrame(data, index=index)


def requests(path, names=True, columns=None):
    """/requests as a pandas.DataFrame, one row a request in arrival order, index `id`. See table()."""
    return table(path, "requests", names, columns)


def timeseries(path):
    """/timeseries as an xarray.Dataset with the dimensions time_s and replica, read into memory."""
    import xarray as xr

    with _open(path) as file:
        if "timeseries" not in file:
            raise KeyError(f"{path}: no /timeseries; was it recorded (run.record)?")
        group = file["timeseries"]
        coordinates = {k: (k, group[k][:], _labels(group[k])) for k in ("time_s", "replica")}
        variables = {k: (("time_s", "replica"), group[k][:], _labels(group[k]))
                     for k in group if k not in coordinates}
        return xr.Dataset(variables, coordinates, {"title": _value(file.attrs["title"])})


def _labels(dataset):
    return {k: _value(dataset.attrs[k]) for k in ("units", "long_name")}


def summary(path):
    """The metrics that `ridgepoint run` printed, as a dict of numbers; also `binds` and, if any, `warnings`."""
    with _open(path) as file:
        if "summary" not in file:
            raise KeyError(f"{path}: no /summary")
        attributes = _attributes(file["summary"])
        attributes.pop("long_name", None)
        return attributes


def scenario(path):
    """The scenario with every default filled in, as YAML text."""
    with _open(path) as file:
        return file["scenario"].asstr()[()]


def provenance(path):
    """What produced the file: version, commit, seed, calibrations."""
    with _open(path) as file:
        attributes = _attributes(file["provenance"])
        attributes.pop("long_name", None)
        return attributes

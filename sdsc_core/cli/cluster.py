"""``sdsc cluster FILE``: labels, matrices and figures of one data set."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from sdsc_core.cli.options import (
    about_data,
    add_data,
    as_json,
    check_writable,
    named_by_option,
    read_data,
    read_param,
)
from sdsc_core.cli.progress import Reporter
from sdsc_core.datasets.dataset import table_csv
from sdsc_core.extras import require
from sdsc_core.fitted import PartRun, run_part
from sdsc_core.methods import KINDS, METHODS
from sdsc_core.metrics import Summary
from sdsc_core.run import Run, Side, run_stages
from sdsc_core.script import affinity_npz, columns_of
from sdsc_core.settings import PRESETS, RunSettings, read_setting

CONNECT = 10  # seconds that a scheduler may take to answer


def add_options(parser: argparse.ArgumentParser) -> None:
    """The settings of a run, how to read the file, and what to write."""
    add = parser.add_argument
    add_data(parser)
    for setting in fields(RunSettings):
        if setting.metadata:
            text = setting.metadata["help"]
            default = "" if setting.default is None else f", {setting.default} by default"
            add(setting.metadata["option"], dest=setting.name, help=text + default)
    add(
        "--preset",
        choices=(*KINDS, *PRESETS),
        help="of the method, for such data; all-round: of IMC and PCE, for any",
    )
    add("--param", action="append", default=[], metavar="NAME=VALUE", help="of the method")
    add("--sample", type=int, metavar="N",
        help="cluster N points drawn at random; the others join the nearest subspace")  # fmt: skip
    add("--affine", action="store_true",
        help="with --sample: subspaces need not pass through the origin")  # fmt: skip
    add("--output", metavar="FILE", help="write row, identifier, class and clusters, .csv")
    add("--save-affinity", metavar="FILE", help="write W, .npz of scipy.sparse")
    add("--save-dense", metavar="FILE", help="write W*, .npz of scipy.sparse")
    add("--json", action="store_true", help="print everything as JSON, the clusters too")
    add("--dask", metavar="ADDRESS", help="of a Dask scheduler, whose cluster then does the work")
    parser.set_defaults(run=_cluster)


def _cluster(options: argparse.Namespace) -> None:
    settings = _settings(options)
    for path in (options.output, options.save_affinity, options.save_dense):
        check_writable(path)
    data = read_data(options)
    report = Reporter()
    how: dict[str, Any] = {"report": report.named}
    with named_by_option(), _client(options.dask) as client:
        if options.sample is None:
            part, run = None, run_stages(data, settings, **how, client=client)
        else:
            part = run_part(
                data, settings, options.sample, affine=options.affine, client=client, **how
            )
            run = part.run
    report.clear()
    _save(options, run, part)
    if options.json:
        print(as_json(_everything(run, part)))
        return
    print(_headline(run))
    print(about_data(options, data), end="")
    for message in _messages(run):
        print(message)
    print(table({name: side.summary for name, side in _sides(run).items()}))
    if part is not None:
        print(_of_all(part))


def _of_all(part: PartRun) -> str:
    """What became of the points that were not drawn, and the figures of all."""
    n, drawn = part.data.n_points, len(part.rows)
    lines = [f"The figures above are of {drawn:,} points drawn from {n:,}; the other {n - drawn:,}"
             " joined the nearest subspace."]  # fmt: skip
    for name, (acc, shared) in part.figures().items():
        if name == "W" or part.run.settings.dense is not None:
            lines.append(f"All points, by {name}: ACC {100 * acc:.2f} %, NMI {100 * shared:.2f} %.")
    return "\n".join(lines)


def _settings(options: argparse.Namespace) -> RunSettings:
    """The settings of the run; what is out of range is named by its option."""
    names = [f.name for f in fields(RunSettings) if f.metadata]
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    with named_by_option():
        read = {name: read_setting(name, text) for name, text in given.items()}
        method = read.pop("method", RunSettings.method)
        of_imc = {"gamma": "n_iterations", "residual": "residual", "similarity": "similarity"}
        params = {}
        if options.preset in PRESETS:
            if method != "IMC":
                raise ValueError(f"preset is {options.preset!r}, which is of IMC, not of {method}.")
            named = PRESETS[options.preset]
            params = named.method_params()
            read = {"theta1": named.theta1, "theta2": named.theta2} | read
        elif options.preset:
            params = dict(METHODS[method].presets[options.preset])
        params |= {own: read.pop(name) for name, own in of_imc.items() if name in read}
        params |= dict(read_param(text, METHODS[method].parameters) for text in options.param)
        return RunSettings.of_method(method, params, **read)


@contextmanager
def _client(address: str | None) -> Iterator[Any]:
    """A client of the Dask scheduler there, None without an address."""
    if address is None:
        yield None
        return
    distributed = require("distributed", "--dask")
    try:
        client = distributed.Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError):
        raise ValueError(
            f"--dask is {address!r}; no Dask scheduler answers there, give tcp://HOST:PORT."
        ) from None
    with client:
        yield client


def _sides(run: Run) -> dict[str, Side]:
    assert run.before is not None
    return {"W": run.before} | ({} if run.settings.dense is None else {"W*": run.after})


def _headline(run: Run) -> str:
    """The data and the number of clusters, of both matrices where they differ."""
    data, numbers = run.data, {name: side.k for name, side in _sides(run).items()}
    if len(set(numbers.values())) == 1:
        count = f"{run.n_clusters} clusters"
    else:
        count = " and ".join(f"{k} clusters of {name}" for name, k in numbers.items())
    why = {"chosen": "as asked", "known": "one for each class"}.get(
        run.n_clusters_from, "suggested by the widest gap between eigenvalues"
    )
    return f"{data.name}: {data.n_points:,} points, {data.n_features:,} features. {count}, {why}."


def _messages(run: Run) -> list[str]:
    """What fell short: the method's solver, the eigenvectors."""
    found = [run.sparse.message]
    for name, side in _sides(run).items():
        for message in (side.spectrum.message, side.summary.conn.message):
            found.append(message and f"{name}: {message}")
    return [message for message in found if message]


def _save(options: argparse.Namespace, run: Run, part: PartRun | None) -> None:
    assert run.before is not None
    for path, matrix in ((options.save_affinity, run.sparse.W), (options.save_dense, run.after.W)):
        if path is not None:
            Path(path).write_bytes(affinity_npz(matrix, columns_of(run)))
    if options.output is not None:
        with open(options.output, "w", newline="", encoding="utf-8") as file:
            file.write(table_csv(columns_of(run) if part is None else part.columns()))


def _everything(run: Run, part: PartRun | None = None) -> dict[str, Any]:
    """The data, the settings, the figures and the clusters of each affinity, for `--json`."""
    return {
        "data": {
            "name": run.data.name,
            "points": run.data.n_points,
            "features": run.data.n_features,
            "classes": list(run.data.class_names),
            "rows": run.data.row_numbers,
            "identifiers": run.data.identifiers,
        },
        "settings": asdict(run.settings),
        "n_clusters": run.n_clusters,
        "n_clusters_from": run.n_clusters_from,
        "seconds": dict(run.seconds),
        "messages": _messages(run),
        "result": {
            name: {"k": side.k, **_figures(side.summary), "labels": side.labels}
            for name, side in _sides(run).items()
        },
    } | ({} if part is None else {"all_points": _all_points(part)})


def _all_points(part: PartRun) -> dict[str, Any]:
    """Of a run of a drawn part: its rows from 0, and labels and figures of all points."""
    return {
        "clustered": part.rows,
        "labels": {"W": part.before, "W*": part.after},
        "figures": {n: {"ACC": acc, "NMI": s} for n, (acc, s) in part.figures().items()},
    }


def _figures(s: Summary) -> dict[str, Any]:
    """A summary's figures under the names that a script prints."""
    return {
        "ACC": s.acc, "NMI": s.nmi, "CONN": s.conn.whole, "CONN min": s.conn.min,
        "CONN mean": s.conn.mean, "Ncut": s.ncut, "inside": s.inside, "nonzeros": s.nonzeros,
    }  # fmt: skip


def table(figures: dict[str, Summary]) -> str:
    """The figures of each affinity in a column of its own."""

    def percent(value: float | None) -> str:
        return "needs labels" if value is None else f"{100 * value:.2f} %"

    by = next(iter(figures.values())).by
    shown: dict[str, Callable[[Summary], str]] = {
        "ACC": lambda s: percent(s.acc),
        "NMI": lambda s: percent(s.nmi),
        "CONN of the whole graph": lambda s: f"{s.conn.whole:.4f}",
        f"CONN, least of the {by}": lambda s: f"{s.conn.min:.4f}",
        f"CONN, mean of the {by}": lambda s: f"{s.conn.mean:.4f}",
        f"Ncut by the {by}": lambda s: f"{s.ncut:.4f}",
        f"similarity inside the {by}": lambda s: percent(s.inside),
        "nonzeros": lambda s: f"{s.nonzeros:,}",
        "density": lambda s: percent(s.density),
        "connected components": lambda s: f"{len(s.component_sizes):,}",
    }
    lines = [f"{'':36}" + "".join(f"  {name:>12}" for name in figures)]
    for name, show in shown.items():
        lines.append(f"{name:36}" + "".join(f"  {show(s):>12}" for s in figures.values()))
    return "\n".join(lines)

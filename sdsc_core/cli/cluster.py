"""``sdsc cluster FILE``: labels, matrices and figures of one data set."""

import argparse
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal

from sdsc_core import datasets
from sdsc_core.checks import check_data
from sdsc_core.cli.options import check_writable, read_param
from sdsc_core.cli.progress import Reporter
from sdsc_core.datasets.dataset import table_csv
from sdsc_core.extras import require
from sdsc_core.fitted import PartRun, run_part
from sdsc_core.methods import KINDS, METHODS
from sdsc_core.metrics import Summary
from sdsc_core.run import Run, Side, run_stages
from sdsc_core.script import affinity_npz, columns_of
from sdsc_core.settings import RunSettings, read_setting

SAMPLE = "sample:"
CONNECT = 10  # seconds that a scheduler may take to answer


def add_options(parser: argparse.ArgumentParser) -> None:
    """The settings of a run, how to read the file, and what to write."""
    add = parser.add_argument
    add("file", metavar="FILE", help="a data file, or sample:NAME as in sample:faces")
    for setting in fields(RunSettings):
        if setting.metadata:
            text = setting.metadata["help"]
            default = "" if setting.default is None else f", {setting.default} by default"
            add(setting.metadata["option"], dest=setting.name, help=text + default)
    add("--preset", choices=KINDS, help="of the method, for such data")
    add("--param", action="append", default=[], metavar="NAME=VALUE", help="of the method")
    add("--x", metavar="NAME", help="variable with the samples, in .npz and .mat")
    add("--y", metavar="NAME", help="variable with the labels, in .npz and .mat")
    add("--transpose", action="store_true", default=None, help="samples are columns")
    add("--header", choices=("auto", "names", "data"), default="auto",
        help="what the first row of a table holds")  # fmt: skip
    add("--label-column", metavar="NAME", help="column with the labels in a table, last, or none")
    add("--id-column", metavar="NAME", help="column that names the samples of a table, or none")
    for option, what in (("ignore", "left out"), ("feature", "a feature in any case")):
        add(f"--{option}", metavar="NAME", action="append", default=[],
            help=f"column of a table that is {what}; may be repeated")  # fmt: skip
    add("--missing", choices=("mean", "drop"), help="fill missing values, or drop such samples")
    add("--per-class", type=int, metavar="N", help="draw so many samples of each class")
    add("--scattering", action="store_true", help="scattering features of pictures")
    add("--pca", type=int, metavar="D", help="keep so many principal components")
    add("--centre", action="store_true", help="subtract the mean sample")
    add("--unit-norm", action="store_true", help="divide each sample by its length")
    add("--sample", type=int, metavar="N",
        help="cluster N points drawn at random; the others join the nearest subspace")  # fmt: skip
    add("--affine", action="store_true",
        help="with --sample: subspaces need not pass through the origin")  # fmt: skip
    add("--output", metavar="FILE", help="write row, identifier, class and clusters, .csv")
    add("--save-affinity", metavar="FILE", help="write W, .npz of scipy.sparse")
    add("--save-dense", metavar="FILE", help="write W*, .npz of scipy.sparse")
    add("--dask", metavar="ADDRESS", help="of a Dask scheduler, whose cluster then does the work")
    parser.set_defaults(run=_cluster)


def _cluster(options: argparse.Namespace) -> None:
    settings = _settings(options)
    for path in (options.output, options.save_affinity, options.save_dense):
        check_writable(path)
    data = _read(options)
    check_data(data.X, name=repr(data.name), copy=False)
    report = Reporter()
    how: dict[str, Any] = {"report": report.named}
    with _named_by_option(), _client(options.dask) as client:
        if options.sample is None:
            part, run = None, run_stages(data, settings, **how, client=client)
        else:
            part = run_part(
                data, settings, options.sample, affine=options.affine, client=client, **how
            )
            run = part.run
    report.clear()
    _save(options, run, part)
    print(_headline(run))
    if not options.file.startswith(SAMPLE):
        print(data.note)
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
    with _named_by_option():
        read = {name: read_setting(name, text) for name, text in given.items()}
        method = read.pop("method", RunSettings.method)
        of_imc = {"gamma": "n_iterations", "residual": "residual", "similarity": "similarity"}
        params = dict(METHODS[method].presets[options.preset]) if options.preset else {}
        params |= {own: read.pop(name) for name, own in of_imc.items() if name in read}
        params |= dict(read_param(text, METHODS[method]) for text in options.param)
        return RunSettings.of_method(method, params, **read)


@contextmanager
def _named_by_option() -> Iterator[None]:
    """A setting in a message of the library goes by its option."""
    try:
        yield
    except ValueError as error:
        options = {f.name: f.metadata["option"] for f in fields(RunSettings) if f.metadata}
        options["sample"] = "--sample"
        name, is_, rest = str(error).partition(" is ")
        raise ValueError(f"{options.get(name, name)}{is_}{rest}") from None


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


def _read(options: argparse.Namespace) -> datasets.Dataset:
    if options.file.startswith(SAMPLE):
        data = datasets.sample(options.file.removeprefix(SAMPLE))
    else:
        data = _load(options)
    if options.missing:
        data = datasets.fill_missing(data, options.missing)
    return datasets.prepare(
        data,
        per_class=options.per_class,
        scattering=options.scattering,
        pca=options.pca,
        centre=options.centre,
        unit_norm=options.unit_norm,
    )


def _load(options: argparse.Namespace) -> datasets.Dataset:
    """The file as the options say; what is wrong with one is said by its own name."""
    none: dict[str | None, Any] = {"none": False}
    headers: dict[str, Literal["auto"] | bool] = {"auto": "auto", "names": True, "data": False}
    try:
        return datasets.load(
            options.file,
            x=options.x,
            y=options.y,
            transpose=options.transpose,
            header=headers[options.header],
            label_column=none.get(options.label_column, options.label_column),
            id_column=none.get(options.id_column, options.id_column),
            ignore=options.ignore,
            features=options.feature,
            mapped=True,
        )
    except datasets.ColumnProblem as problem:
        raise ValueError(
            f"{problem.what}; correct it, or say what the column is: --ignore,"
            f" --label-column or --id-column {problem.column!r}."
        ) from None
    except ValueError as problem:
        argument = r"^(x|y|transpose|label_column|id_column|ignore|feature)s?(?= is )"
        option = lambda found: "--" + found[1].replace("_", "-")  # noqa: E731
        raise ValueError(re.sub(argument, option, str(problem))) from None


def _save(options: argparse.Namespace, run: Run, part: PartRun | None) -> None:
    assert run.before is not None
    for path, matrix in ((options.save_affinity, run.sparse.W), (options.save_dense, run.after.W)):
        if path is not None:
            Path(path).write_bytes(affinity_npz(matrix, columns_of(run)))
    if options.output is not None:
        with open(options.output, "w", newline="", encoding="utf-8") as file:
            file.write(table_csv(columns_of(run) if part is None else part.columns()))


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

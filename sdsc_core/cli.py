"""The command ``sdsc``: cluster a file, open the app, repeat the paper's tables, measure speed."""

import argparse
import os
import re
import runpy
import sys
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, NoReturn

import scipy.sparse as sp

from sdsc_core import benchmark, compare, datasets, experiments
from sdsc_core._version import __version__
from sdsc_core.checks import (
    check_choice,
    check_data,
)
from sdsc_core.datasets.known import FOLDER_VARIABLE
from sdsc_core.extras import MissingExtra, require
from sdsc_core.methods import KINDS, METHODS
from sdsc_core.methods.base import Method
from sdsc_core.metrics import Summary
from sdsc_core.paths import home
from sdsc_core.run import Run, Side, run_stages
from sdsc_core.settings import RunSettings, read_setting
from sdsc_core.warm import load_libraries

BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
SAMPLE = "sample:"
ADDRESS, THIS_MACHINE = "--server.address", "127.0.0.1"
HOPKINS = "hopkins"
EXPERIMENTS = (*experiments.EXPERIMENTS, HOPKINS)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message.rstrip('.')}.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code: 0, 2 for bad input, 130 after Ctrl-C."""
    parser = _parser()
    options, others = parser.parse_known_args(argv)
    if others and options.run is not _app:
        parser.error(f"{' '.join(others)} is not known, see sdsc {options.command} --help")
    options.others = others
    try:
        options.run(options)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ValueError, OSError, MemoryError, MissingExtra) as error:
        print(f"sdsc: {_sentence(error)}", file=sys.stderr)
        return BAD_INPUT
    return 0


def _sentence(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "The memory does not suffice; give fewer points or another method."
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename!r} cannot be used: {error.strerror}."
    return " ".join(str(error).split())


def _parser() -> Parser:
    parser = Parser(prog="sdsc", description="Sparse-Dense Subspace Clustering.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_cluster(commands.add_parser("cluster", help="cluster a data set"))
    _add_app(commands.add_parser("app", help="open the app; further options go to streamlit run"))
    _add_reproduce(commands.add_parser("reproduce", help="measure a table of the paper"))
    speed = commands.add_parser("benchmark", help="measure the speed on this machine")
    speed.add_argument("--only", metavar="NAME", default="", help="rows whose name holds NAME")
    speed.set_defaults(run=lambda options: benchmark.run(options.only))
    return parser


def _add_cluster(parser: argparse.ArgumentParser) -> None:
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
    add("--output", metavar="FILE", help="write row, identifier, class and clusters, .csv")
    add("--save-affinity", metavar="FILE", help="write W, .npz of scipy.sparse")
    add("--save-dense", metavar="FILE", help="write W*, .npz of scipy.sparse")
    parser.set_defaults(run=_cluster)


def _add_app(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--port", type=int, help="port of the server, 8501 by default")
    add("--data", metavar="DIR", help="folder with data that users may open")
    add(
        ADDRESS, dest="address", default=THIS_MACHINE, metavar="HOST",
        help=f"who can reach it: {THIS_MACHINE} (the default) this machine alone, 0.0.0.0 all"
        " machines in its network",
    )  # fmt: skip
    parser.set_defaults(run=_app)


def _add_reproduce(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("name", metavar="NAME", help=f"one of {', '.join(EXPERIMENTS)}")
    add("--data", metavar="DIR", help="folder with the data sets; else SDSC_DATA, else OpenML")
    add("--quick", action="store_true", help="a small part of it")
    add("--sizes", type=int, nargs="+", help="subjects or samples, as in the table")
    add("--methods", nargs="+", help="those of the paper by default, of hopkins all")
    add("--draws", type=int, help="random draws, 20 by default")
    add("--param", action="append", default=[], metavar="METHOD.NAME=VALUE", help="not the preset")
    add("--output", metavar="FILE", help="write every single result, .csv; hopkins goes on there")
    parser.set_defaults(run=_reproduce)


# sdsc cluster


def _cluster(options: argparse.Namespace) -> None:
    settings = _settings(options)
    for path in (options.output, options.save_affinity, options.save_dense):
        _check_writable(path)
    data = _read(options)
    check_data(data.X, name=repr(data.name))
    report = Reporter()
    run = run_stages(data, settings, report=report.named)
    report.clear()
    _save(options, run)
    print(_headline(run))
    if not options.file.startswith(SAMPLE):
        print(data.note)
    for message in _messages(run):
        print(message)
    print(table({name: side.summary for name, side in _sides(run).items()}))


def _settings(options: argparse.Namespace) -> RunSettings:
    """The settings of the run; what is out of range is named by its option."""
    names = {f.name: f.metadata["option"] for f in fields(RunSettings) if f.metadata}
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    try:
        read = {name: read_setting(name, text) for name, text in given.items()}
        method = read.pop("method", RunSettings.method)
        of_imc = {"gamma": "n_iterations", "residual": "residual", "similarity": "similarity"}
        params = dict(METHODS[method].presets[options.preset]) if options.preset else {}
        params |= {own: read.pop(name) for name, own in of_imc.items() if name in read}
        params |= dict(_param(text, METHODS[method]) for text in options.param)
        return RunSettings.of_method(method, params, **read)
    except ValueError as error:
        name, is_, rest = str(error).partition(" is ")
        raise ValueError(f"{names.get(name, name)}{is_}{rest}") from None


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


def _check_writable(path: str | None) -> None:
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise ValueError(f"{path!r} cannot be written; there is no such folder.")


def _param(text: str, method: Method, form: str = "NAME=VALUE") -> tuple[str, Any]:
    """One --param as name and value."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--param is {text!r}; give {form}.")
    like = {p.name: p.default for p in method.parameters}.get(name, "")
    return name, _typed(value, like)


def _typed(text: str, like: Any) -> Any:
    """The text in the type of ``like``; as it is where it does not fit, for the check to refuse."""
    if isinstance(like, bool):
        return {"true": True, "false": False}.get(text.lower(), text)
    try:
        return type(like)(text)
    except ValueError:
        return text


def _read(options: argparse.Namespace) -> datasets.Dataset:
    if options.file.startswith(SAMPLE):
        data = datasets.sample(options.file.removeprefix(SAMPLE))
    else:
        data = _load(options)
    return datasets.fill_missing(data, options.missing) if options.missing else data


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


def _save(options: argparse.Namespace, run: Run) -> None:
    assert run.before is not None
    for path, matrix in ((options.save_affinity, run.sparse.W), (options.save_dense, run.after.W)):
        if path is not None:
            sp.save_npz(path, sp.csr_array(matrix))
    if options.output is not None:
        with open(options.output, "w", newline="", encoding="utf-8") as file:
            file.write(datasets.points_csv(run.data, run.before.labels, run.after.labels))


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


# sdsc reproduce


def _reproduce(options: argparse.Namespace) -> None:
    check_choice(options.name, "NAME", EXPERIMENTS)
    _check_writable(options.output)
    report = Reporter()
    report.stage = options.name
    if options.name == HOPKINS:
        _reproduce_hopkins(options, report)
        return
    smallest = [min(experiments.EXPERIMENTS[options.name].sizes)] if options.quick else None
    found = experiments.run(
        options.name,
        options.data,
        sizes=options.sizes or smallest,
        methods=options.methods or experiments.LISTED,
        draws=(2 if options.quick else 20) if options.draws is None else options.draws,
        params=_method_params(options.param),
        progress=report,
    )
    rows: list[tuple[int, str]] = []
    for size, results in found:
        report.clear()
        if not rows:
            print(experiments.EXPERIMENTS[options.name].title + "\n")
        print(experiments.to_markdown(options.name, size, results), flush=True)
        rows += [(size, line) for line in compare.to_csv(results).splitlines()[1:]]
        if options.output is not None:
            head = "size," + compare.to_csv([])
            lines = "".join(f"{at},{line}\n" for at, line in rows)
            Path(options.output).write_text(head + lines, encoding="utf-8")


def _reproduce_hopkins(options: argparse.Namespace, report: "Reporter") -> None:
    for name in ("sizes", "draws"):
        if getattr(options, name) is not None:
            raise ValueError(
                f"--{name} is not for hopkins; every method meets every sequence once."
            )
    cells = experiments.hopkins.run(
        options.data,
        methods=options.methods or tuple(METHODS),
        quick=options.quick,
        params=_method_params(options.param),
        kept=options.output,
        progress=report,
    )
    report.clear()
    print(experiments.hopkins.to_markdown(cells))


def _method_params(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    given: dict[str, dict[str, Any]] = {}
    for text in texts:
        method, _, rest = text.partition(".")
        check_choice(method, "METHOD in --param", tuple(METHODS))
        name, value = _param(rest, METHODS[method], "METHOD.NAME=VALUE")
        given.setdefault(method, {})[name] = value
    return given


class Reporter:
    """Progress on stderr: one line kept up to date on a terminal, else one in ten seconds."""

    def __init__(self) -> None:
        self.stage = ""
        self._live = sys.stderr.isatty()
        self._pause = 0.1 if self._live else 10.0
        self._next = time.monotonic() + self._pause

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._pause
        share = f"{100 * done // total} %" if total else f"{done:,} products so far"
        text = f"{self.stage}: {share}"
        self._write(f"\r{text}\x1b[K" if self._live else f"{text}\n")

    def named(self, stage: str) -> "Reporter":
        """This one, for another stage."""
        self.stage = stage
        return self

    def clear(self) -> None:
        """Leave a terminal's line empty for what follows."""
        if self._live:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        print(text, end="", file=sys.stderr, flush=True)


# sdsc app


def _app(options: argparse.Namespace) -> None:
    if options.data is not None:
        folder = Path(options.data).resolve()
        if not folder.is_dir():
            raise ValueError(f"--data is {options.data!r}; give a folder that exists.")
        os.environ[FOLDER_VARIABLE] = str(folder)
    require("streamlit", "The app")
    load_libraries()
    sys.argv = streamlit_arguments(options.port, options.others, options.address)
    # In this process, so that Ctrl-C and a signal to `sdsc` reach the server itself.
    runpy.run_path(str(home() / "pages" / "shared" / "streamlit_inside.py"), run_name="__main__")


def streamlit_arguments(
    port: int | None, others: Sequence[str] = (), address: str = THIS_MACHINE
) -> list[str]:
    """The words of ``streamlit run`` for the app.

    Streamlit reads .streamlit/config.toml of the current folder alone, so its settings go along as
    flags. What the caller adds comes later and wins.

    >>> streamlit_arguments(8080)[-2:]
    ['--server.port', '8080']
    """
    folder = home()
    settings = tomllib.loads((folder / ".streamlit" / "config.toml").read_text("utf-8"))
    words = ["streamlit", "run", str(folder / "app.py"), *_flags(settings), ADDRESS, address]
    words += [] if port is None else ["--server.port", str(port)]
    return [*words, *others]


def _flags(settings: dict[str, Any], section: str = "") -> list[str]:
    words = []
    for name, value in settings.items():
        if isinstance(value, dict):
            words += _flags(value, f"{section}{name}.")
            continue
        for item in value if isinstance(value, list) else [value]:
            text = str(item).lower() if isinstance(item, bool) else str(item)
            words += [f"--{section}{name}", text]
    return words


if __name__ == "__main__":
    sys.exit(main())

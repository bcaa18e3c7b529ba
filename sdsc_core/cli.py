"""The command ``sdsc``: cluster a file, open the app, repeat the paper's tables, measure speed."""

import argparse
import csv
import os
import runpy
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core import benchmark, compare, datasets, experiments
from sdsc_core.checks import (
    Affinity,
    check_choice,
    check_count,
    check_data,
    check_n_clusters,
    check_thetas,
)
from sdsc_core.datasets.known import FOLDER_VARIABLE
from sdsc_core.dense import DENSE_STAGES, dense_stage
from sdsc_core.methods import METHODS
from sdsc_core.methods.base import Method
from sdsc_core.metrics import Summary, summarise
from sdsc_core.paths import home
from sdsc_core.spectral import spectral_clustering, spectrum, suggest_n_clusters
from sdsc_core.warm import warm_up

BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
SAMPLE = "sample:"
MOST_SUGGESTED = 30  # eigenvalues that are searched for a gap


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
    except (ValueError, OSError, MemoryError) as error:
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
    parser.add_argument("--version", action="version", version=version("sdsc-explorer"))
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_cluster(commands.add_parser("cluster", help="cluster a data set"))
    app = commands.add_parser("app", help="open the app; further options go to streamlit run")
    app.add_argument("--port", type=int, help="port of the server, 8501 by default")
    app.add_argument("--data", metavar="DIR", help="folder with data that users may open")
    app.set_defaults(run=_app)
    _add_reproduce(commands.add_parser("reproduce", help="measure a table of the paper"))
    speed = commands.add_parser("benchmark", help="measure the speed on this machine")
    speed.add_argument(
        "part", nargs="?", choices=("all", "scale"), default="all", help="scale: up to a million"
    )
    speed.add_argument("--only", metavar="NAME", default="", help="rows whose name holds NAME")
    speed.add_argument("--plot", metavar="FILE", help="with scale: draw the times as an SVG")
    speed.set_defaults(run=_benchmark)
    return parser


def _benchmark(options: argparse.Namespace) -> None:
    if options.part == "scale":
        from sdsc_core import benchmark_scale  # takes a moment to import, and few need it

        benchmark.run(options.only, benchmark_scale.ROWS)
        if options.plot:
            Path(options.plot).write_text(benchmark_scale.plot())
    else:
        benchmark.run(options.only)


def _add_cluster(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="a data file, or sample:NAME as in sample:faces")
    add("--clusters", type=int, metavar="K", help="how many; by default one for each class")
    add("--method", default="IMC", help=f"one of {', '.join(METHODS)}; IMC by default")
    add("--dense", default="PCE", help="PCE (the default), D1, D2, D3 or none")
    add("--gamma", type=int, dest="n_iterations", help="iterations of IMC, 6 by default")
    add("--theta1", type=float, default=0.8, help="of PCE, 0.8 by default")
    add("--theta2", type=float, default=0.6, help="of PCE, 0.6 by default")
    add("--residual", help="of IMC: as_printed (the default) or centred")
    add("--similarity", help="of IMC: residual (the default) or pair")
    add("--param", action="append", default=[], metavar="NAME=VALUE", help="of the method")
    add("--seed", type=int, default=0, help="0 by default")
    add("--x", metavar="NAME", help="variable with the samples, in .npz and .mat")
    add("--y", metavar="NAME", help="variable with the labels, in .npz and .mat")
    add("--transpose", action="store_true", default=None, help="samples are columns")
    add("--label-column", metavar="NAME", help="column with the labels in a table, or last")
    add("--missing", choices=("mean", "drop"), help="fill missing values, or drop such samples")
    add("--output", metavar="FILE", help="write the labels, .csv")
    add("--save-affinity", metavar="FILE", help="write W, .npz of scipy.sparse")
    add("--save-dense", metavar="FILE", help="write W*, .npz of scipy.sparse")
    parser.set_defaults(run=_cluster)


def _add_reproduce(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("name", metavar="NAME", help=f"one of {', '.join(experiments.EXPERIMENTS)}")
    add("--data", metavar="DIR", help="folder with the data sets; else SDSC_DATA, else OpenML")
    add("--sizes", type=int, nargs="+", help="subjects or samples, as in the table")
    add("--methods", nargs="+", default=experiments.LISTED, help="those of the paper by default")
    add("--draws", type=int, default=20, help="random draws, 20 by default")
    add("--param", action="append", default=[], metavar="METHOD.NAME=VALUE", help="not the preset")
    add("--output", metavar="FILE", help="write every single result, .csv")
    parser.set_defaults(run=_reproduce)


# sdsc cluster


def _cluster(options: argparse.Namespace) -> None:
    dense, method = _checked(options)
    settings: dict[str, Any] = method.settings(**_params(method, options))
    data = _read(options)
    X = check_data(data.X, name=repr(data.name))
    k, why = _number_of_clusters(options.clusters, data)

    report = Reporter()
    report.stage = options.method
    solution = method.solve(X, n_clusters=k, random_state=options.seed, progress=report, **settings)
    W = method.affinity(solution)
    report.stage = options.dense
    star = dense_stage(W, dense, options.theta1, options.theta2, progress=report)
    report.stage = "Eigenvectors"
    if k is None:
        top = spectrum(star, min(MOST_SUGGESTED, len(X)), progress=report)
        k = suggest_n_clusters(top.eigenvalues)
    stages = {"W": W} if dense is None else {"W": W, "W*": star}
    found = {
        name: spectral_clustering(A, k, options.seed, progress=report) for name, A in stages.items()
    }
    report.clear()
    _save(options, W, star, list(found.values())[-1], data)
    print(f"{data.name}: {len(X):,} points, {X.shape[1]:,} features. {k} clusters, {why}.")
    if solution.message:
        print(solution.message)
    figures = {name: summarise(A, found[name], data.labels) for name, A in stages.items()}
    print(table(figures))


def _checked(options: argparse.Namespace) -> tuple[str | None, Method]:
    """Dense stage and method; all that could fail after a long computation is refused here."""
    check_choice(options.method, "--method", tuple(METHODS))
    dense = None if options.dense.lower() == "none" else options.dense
    check_choice(dense, "--dense", DENSE_STAGES)
    check_count(options.seed, "--seed", 0)
    if dense == "PCE":
        check_thetas(options.theta1, options.theta2)
    for path in (options.output, options.save_affinity, options.save_dense):
        _check_writable(path)
    return dense, METHODS[options.method]


def _check_writable(path: str | None) -> None:
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise ValueError(f"{path!r} cannot be written; there is no such folder.")


def _params(method: Method, options: argparse.Namespace) -> dict[str, Any]:
    """What --param and the three short forms of IMC's parameters give, in the right type."""
    names = ("n_iterations", "residual", "similarity")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return given | dict(_param(text, method) for text in options.param)


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
        data = datasets.load(
            options.file,
            x=options.x,
            y=options.y,
            transpose=options.transpose,
            label_column=options.label_column,
        )
    return datasets.fill_missing(data, options.missing) if options.missing else data


def _number_of_clusters(asked: int | None, data: datasets.Dataset) -> tuple[int | None, str]:
    if asked is not None:
        return check_n_clusters(asked, data.n_points), "as asked"
    if data.labels is not None:
        return data.n_classes, "one for each class"
    return None, "suggested by the widest gap between eigenvalues"


def _save(
    options: argparse.Namespace,
    W: Affinity,
    star: Affinity,
    found: NDArray[np.int64],
    data: datasets.Dataset,
) -> None:
    for path, matrix in ((options.save_affinity, W), (options.save_dense, star)):
        if path is not None:
            sp.save_npz(path, sp.csr_array(matrix))
    if options.output is None:
        return
    with open(options.output, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if data.labels is None:
            writer.writerow(["point", "cluster"])
            writer.writerows(enumerate(found.tolist()))
        else:
            classes = [data.class_names[c] for c in data.labels]
            writer.writerow(["point", "cluster", "class"])
            writer.writerows(zip(range(len(found)), found.tolist(), classes, strict=True))


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
    check_choice(options.name, "NAME", tuple(experiments.EXPERIMENTS))
    _check_writable(options.output)
    report = Reporter()
    report.stage = options.name
    found = experiments.run(
        options.name,
        options.data,
        sizes=options.sizes,
        methods=options.methods,
        draws=options.draws,
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
    # While the server and the browser start; a screen waits for what is not ready by then.
    threading.Thread(target=warm_up, daemon=True).start()
    sys.argv = streamlit_arguments(options.port, options.others)
    # In this process, so that Ctrl-C and a signal to `sdsc` reach the server itself.
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def streamlit_arguments(port: int | None, others: Sequence[str] = ()) -> list[str]:
    """The words of ``streamlit run`` for the app.

    Streamlit reads .streamlit/config.toml of the current folder alone, so its settings go along as
    flags. What the caller adds comes later and wins.

    >>> streamlit_arguments(8080)[-2:]
    ['--server.port', '8080']
    """
    folder = home()
    settings = tomllib.loads((folder / ".streamlit" / "config.toml").read_text("utf-8"))
    words = ["streamlit", "run", str(folder / "app.py"), *_flags(settings)]
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

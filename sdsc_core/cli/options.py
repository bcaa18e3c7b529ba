"""What several subcommands read: a data file and how to prepare it, settings, files to write."""

import argparse
import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal

from sdsc_core import datasets
from sdsc_core.checks import check_data
from sdsc_core.methods.base import Parameter
from sdsc_core.settings import RunSettings

SAMPLE = "sample:"


def add_data(parser: argparse.ArgumentParser) -> None:
    """The file, how to read it, and how to prepare its samples; see `read_data`."""
    add = parser.add_argument
    add("file", metavar="FILE", help="a data file; sample:NAME as in sample:faces;"
        " made:SUBSPACES-DIMENSION-AMBIENT-POINTS-NOISE-SEED as in made:6-6-10-500-0-0; or"
        " hopkins:SEQUENCE from the folder in SDSC_DATA")  # fmt: skip
    add("--x", metavar="NAME", help="variable with the samples, in .npz and .mat")
    add("--y", metavar="NAME", help="variable with the labels, in .npz and .mat; or none")
    add("--transpose", action="store_true", default=None, help="samples are columns")
    add("--header", choices=("auto", "names", "data"), default="auto",
        help="what the first row of a table holds")  # fmt: skip
    add(
        "--label-column",
        metavar="NAME",
        help="column with the labels in a table, by its name or its number from 0; last, or none",
    )
    add("--id-column", metavar="NAME", help="column that names the samples of a table, or none")
    for option, what in (("ignore", "left out"), ("feature", "a feature in any case")):
        add(f"--{option}", metavar="NAME", action="append", default=[],
            help=f"column of a table that is {what}; may be repeated")  # fmt: skip
    add("--missing", choices=("mean", "drop"), help="fill missing values, or drop such samples")
    add("--only", metavar="ROWS", help="only these rows of the file, as in 1-50.60.71-80")
    add("--classes", metavar="NAME", nargs="+", help="only samples of these classes")
    add("--per-class", type=int, metavar="N", help="draw so many samples of each class")
    add("--draw", type=int, default=0, metavar="SEED", help="of that draw, 0 by default")
    add("--scattering", action="store_true", help="scattering features of pictures")
    add("--pca", type=int, metavar="D", help="keep so many principal components")
    add("--standardise", action="store_true",
        help="subtract each feature's mean and divide by its standard deviation")  # fmt: skip
    add("--centre", action="store_true", help="subtract the mean sample")
    add("--unit-norm", action="store_true", help="divide each sample by its length")


def read_raw(options: argparse.Namespace) -> datasets.Dataset:
    """The data as the file has it, missing values filled."""
    if options.file.startswith(SAMPLE):
        data = datasets.sample(options.file.removeprefix(SAMPLE))
    elif datasets.spelled(options.file):
        data = datasets.load_named(options.file)
    else:
        data = _load(options)
    return datasets.fill_missing(data, options.missing) if options.missing else data


def preparation(options: argparse.Namespace, raw: datasets.Dataset) -> dict[str, Any]:
    """The arguments of `datasets.prepare` that the options ask for."""
    return {
        "only": options.only,
        "classes": _classes(options.classes, raw),
        "per_class": options.per_class,
        "scattering": options.scattering,
        "pca": options.pca,
        "unit_norm": options.unit_norm,
        "centre": options.centre,
        "standardise": options.standardise,
        "random_state": options.draw,
    }


def read_data(options: argparse.Namespace) -> datasets.Dataset:
    """The data that the options of `add_data` name, prepared and fit to be clustered."""
    raw = read_raw(options)
    data = datasets.prepare(raw, **preparation(options, raw))
    check_data(data.X, name=repr(data.name), copy=False, rows=data.row_numbers)
    return data


def about_data(options: argparse.Namespace, data: datasets.Dataset) -> str:
    """How the file was read, and a word where its units differ; a line each."""
    lines = [] if options.file.startswith(SAMPLE) else [data.note]
    if not options.pca and (units := datasets.unequal_units(data)):
        lines.append(f"{units} If they are in different units, give --standardise.")
    return "".join(f"{line}\n" for line in lines if line)


def data_words(options: argparse.Namespace) -> list[str]:
    """The file and what differs from the defaults of `add_data`, as the words of a command."""
    parser = argparse.ArgumentParser()
    add_data(parser)
    words = [options.file]
    for action in parser._actions:
        value = getattr(options, action.dest, None)
        if not action.option_strings or value in (None, False) or value == action.default:
            continue
        option = action.option_strings[-1]
        if value is True:
            words.append(option)
        elif action.dest in ("ignore", "feature"):
            words += [word for name in value for word in (option, name)]
        else:
            words += [option, *(value if isinstance(value, list) else [str(value)])]
    return words


def reading_words(choices: Mapping[str, Any], fill: str = "") -> list[str]:
    """The arguments of `datasets.load`, and the filling of gaps, as the words of a command.

    >>> reading_words({"header": "auto", "label_column": "species", "ignore": ["id"]}, "mean")
    ['--label-column', 'species', '--ignore', 'id', '--missing', 'mean']
    """
    spelled = {True: "names", False: "data"}
    words: list[str] = []
    for name, value in choices.items():
        option = "--" + {"features": "feature"}.get(name, name).replace("_", "-")
        if name == "transpose":
            words += [option] if value else []
        elif isinstance(value, (list, tuple)):
            words += [word for one in value for word in (option, str(one))]
        elif name == "header" and value in spelled:
            words += [option, spelled[value]]
        elif value is False:
            words += [option, "none"]
        elif value not in (None, "auto", ""):
            words += [option, str(value)]
    return words + (["--missing", fill] if fill else [])


def preparation_words(steps: Mapping[str, Any], raw: datasets.Dataset) -> list[str]:
    """The arguments of `datasets.prepare` as the words of a command.

    >>> preparation_words({"pca": 5, "unit_norm": True, "centre": False}, datasets.sample("faces"))
    ['--pca', '5', '--unit-norm']
    """
    names = {"random_state": "--draw", "per_class": "--per-class", "unit_norm": "--unit-norm"}
    words: list[str] = []
    for name, value in steps.items():
        option = names.get(name, f"--{name}")
        if name == "classes" and value is not None:
            words += [option, *(raw.class_names[c] for c in value)]
        elif value is True:
            words.append(option)
        elif value and not (name == "random_state" and not steps.get("per_class")):
            words += [option, str(value)]
    return words


def _classes(names: list[str] | None, raw: datasets.Dataset) -> list[int] | None:
    if names is None:
        return None
    for name in names:
        if name not in raw.class_names:
            known = ", ".join(raw.class_names[:20]) or "none"
            raise ValueError(f"--classes is {name!r}; the classes of this data are: {known}.")
    return [raw.class_names.index(name) for name in names]


def _load(options: argparse.Namespace) -> datasets.Dataset:
    """The file as the options say; what is wrong with one is said by its own name."""
    none: dict[str | None, Any] = {"none": False}
    headers: dict[str, Literal["auto"] | bool] = {"auto": "auto", "names": True, "data": False}
    try:
        return datasets.load(
            options.file,
            x=options.x,
            y=none.get(options.y, options.y),
            transpose=options.transpose,
            header=headers[options.header],
            label_column=none.get(options.label_column, options.label_column),
            id_column=none.get(options.id_column, options.id_column),
            ignore=options.ignore,
            features=options.feature,
            mapped=True,
        )
    except datasets.ColumnProblem as problem:
        what = problem.what.replace("(header tells)", "(else give --header names)")
        raise ValueError(
            f"{what}; correct it, or say what the column is: --ignore,"
            f" --label-column or --id-column {problem.column!r}."
        ) from None
    except ValueError as problem:
        argument = (
            r"^(x|y|transpose|ignore|feature)s?(?= is )|\b(label_column|id_column)\b"
            r"|(?<=: here )(y)(?= has the labels)"
        )
        option = lambda found: "--" + found[found.lastindex].replace("_", "-")  # noqa: E731
        raise ValueError(re.sub(argument, option, str(problem))) from None


@contextmanager
def named_by_option() -> Iterator[None]:
    """A setting in a message of the library goes by its option."""
    try:
        yield
    except ValueError as error:
        options = {f.name: f.metadata["option"] for f in fields(RunSettings) if f.metadata}
        options["sample"] = "--sample"
        name, is_, rest = str(error).partition(" is ")
        raise ValueError(f"{options.get(name, name)}{is_}{rest}") from None


def as_json(value: Any) -> str:
    """A result as JSON text; what is not a finite number is null, which every reader takes.

    >>> print(as_json({"acc": float("nan"), "k": 3}))
    {
      "acc": null,
      "k": 3
    }
    """
    return json.dumps(_python_types(value), indent=2, ensure_ascii=False, allow_nan=False)


def _python_types(value: Any) -> Any:
    """Python's own types all through: NumPy's become what they hold."""
    if isinstance(value, dict):
        return {str(key): _python_types(v) for key, v in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_python_types(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def check_writable(path: str | None) -> None:
    """ValueError where the folder of a file to write does not exist."""
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise ValueError(f"{path!r} cannot be written; there is no such folder.")


def read_param(
    text: str, parameters: tuple[Parameter, ...], form: str = "NAME=VALUE"
) -> tuple[str, Any]:
    """One --param as name and value, in the type of the parameter of that name."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--param is {text!r}; give {form}.")
    like = {p.name: p.default for p in parameters}.get(name, "")
    return name, _typed(value, like)


def read_params(
    texts: list[str], known: dict[str, tuple[Parameter, ...]]
) -> dict[str, dict[str, Any]]:
    """Several --param METHOD.NAME=VALUE, by the method; ``known`` has the parameters of each."""
    form = "METHOD.NAME=VALUE"
    given: dict[str, dict[str, Any]] = {}
    for text in texts:
        method, dot, rest = text.partition(".")
        if not dot or method not in known:
            raise ValueError(f"--param is {text!r}; give {form}, METHOD one of {', '.join(known)}.")
        name, value = read_param(rest, known[method], form)
        given.setdefault(method, {})[name] = value
    return given


def _typed(text: str, like: Any) -> Any:
    """The text in the type of ``like``; as it is where it does not fit, for the check to refuse."""
    if isinstance(like, bool):
        return {"true": True, "false": False}.get(text.lower(), text)
    try:
        return type(like)(text)
    except ValueError:
        return text


def folder_to_write(name: str) -> Path:
    """The folder that --out names, made where there is none."""
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ValueError(f"--out is {name!r}; no such folder can be made ({problem}).") from None
    return folder

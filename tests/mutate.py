"""Break the library once in every place, and see which faults no test notices.

    python -m tests.mutate                          # all five modules
    python -m tests.mutate imc_path dense --sample 50    # 50 changes of each, drawn at random
    python -m tests.mutate stages                   # the keys of what a session keeps

Each change (an operator, comparison, number, slice, branch, minimum or call) goes into a copy of
the project and meets the fast tests of its module, with the kernels left uncompiled. In the app's
`stages`, each part of each key is left out once instead. What is not changed, by rule, because
nothing that a test could see depends on it:

- docstrings, messages of errors and all other text; annotations; imports;
- tolerances: numbers between 0 and 10⁻³, powers of two below one, and what multiplies those;
- what chooses a block, a solver or a way to the same result, or limits a size: constants and
  other names in `SIZES`, conditions that name one of them, and functions in `NEUTRAL`, whose
  effect on the work that is done `test_tree.py` looks at;
- the two sides of a square matrix (`W.shape[0]`); of a symmetric one the order of its two
  indices (`left[i, k]`), and `directed=False`;
- what was looked into and changes no result, in `equivalents.py`, each with its reason. Some of
  these make the search slower, which no test of results can see.
"""

import argparse
import ast
import copy
import json
import multiprocessing
import os
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.equivalents import EQUIVALENT

ROOT = Path(__file__).resolve().parents[1]
TESTS = {
    "imc_path": ["tests/test_imc.py", "tests/test_picks.py"],
    "search": [
        "tests/test_tree.py",
        "tests/test_products.py",
        "tests/test_picks.py",
        "tests/test_imc.py",
    ],
    "dense": ["tests/test_dense.py", "tests/test_beyond.py", "tests/test_metrics.py"],
    "search/vector": ["tests/test_vector.py"],
    "spectral": ["tests/test_spectral.py", "tests/test_kmeans.py"],
    "metrics": [
        "tests/test_metrics.py",
        "tests/test_conn.py",
        "tests/test_sparse_entries.py",
    ],
}
# Modules that are part of another.
MORE_FILES = {
    "spectral": ["eigenpairs", "kmeans", "sparse/product"],
    "metrics": ["conn", "labels/matching", "sparse/entries"],
}
PATIENCE = 10  # times the seconds that a run may work, it may take on a busy machine
COMPILED = {"search/vector", "stages"}  # vector instructions, and kernels that do not change
KEYS = {"stages": ["tests/test_keys.py", "tests/test_screen_keys.py"]}
KEPT_BY = ("pages/shared/run.py", "pages/compare/running.py", "sdsc_core/run.py",
           "sdsc_core/settings.py", "pages/step/one_point.py", "pages/step/dense_stage.py",
           "pages/step/whole_stage.py", "pages/explore/gallery.py", "pages/explore/selected.py",
           "pages/data/preview.py")  # fmt: skip
SIZES = {
    "BLOCK", "CANDIDATES", "TILE", "PATHS_A_BLOCK", "SMALL", "MODERATE", "MOST_ALL_PATHS", "block",
    "PAIRS_A_BLOCK", "LEAST_STEPS",
    "starts", "many", "eigenpairs.room", "PART", "AGAIN", "SIDE", "PATCH", "CACHE", "LEAF",
    "CHILDREN", "WAITING", "MOST_ROWS", "FEW", "MANY", "SAMPLE", "ROUNDS", "TURNS", "MOST",
    "TRIED", "FEW_POINTS", "MOST_DIMENSIONS", "ROWS_AT_A_TIME",
}  # fmt: skip
# Functions that only decide how narrow the cones of a tree are: any cones give the same picks.
NEUTRAL = {"grow._middles", "grow._farthest", "grow._centres", "grow._axis", "tree._route"}
PRELOAD = [
    "numba", "numpy", "scipy.linalg", "scipy.optimize", "scipy.sparse.csgraph",
    "scipy.sparse.linalg", "sklearn.cluster", "sklearn.metrics", "pytest", "hypothesis.extra.numpy",
]  # fmt: skip

OPERATORS = {
    ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Div], ast.Div: [ast.Mult],
    ast.FloorDiv: [ast.Mult], ast.Mod: [ast.Mult], ast.Pow: [ast.Mult],
    ast.BitAnd: [ast.BitOr], ast.BitOr: [ast.BitAnd],
    ast.Lt: [ast.LtE, ast.Gt], ast.LtE: [ast.Lt, ast.GtE], ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE], ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot], ast.IsNot: [ast.Is], ast.In: [ast.NotIn], ast.NotIn: [ast.In],
    ast.And: [ast.Or], ast.Or: [ast.And],
}  # fmt: skip
PAIRS = [("min", "max"), ("minimum", "maximum"), ("argmin", "argmax"), ("any", "all")]
TWINS = dict(PAIRS) | {b: a for a, b in PAIRS}
TWINS |= {"sum": "max", "zeros": "ones", "ones": "zeros", "abs": "float"}


@dataclass
class Mutant:
    """One change of one module: ``new`` in the place of ``old``, a field of ``holder``."""

    path: Path
    line: int
    tree: ast.Module
    holder: Any
    field: str
    position: int | None
    old: ast.AST
    new: ast.AST

    def _put(self, node: ast.AST) -> None:
        if self.position is None:
            setattr(self.holder, self.field, node)
        else:
            getattr(self.holder, self.field)[self.position] = node

    def source(self) -> str:
        self._put(self.new)
        text = ast.unparse(ast.fix_missing_locations(self.tree))
        self._put(self.old)
        return text

    def __str__(self) -> str:
        # An operator says little without what it stands in.
        shown = isinstance(self.old, (ast.operator, ast.cmpop, ast.boolop, ast.unaryop))
        before = ast.unparse(self.holder if shown else self.old).splitlines()[0]
        self._put(self.new)
        after = ast.unparse(ast.fix_missing_locations(self.holder if shown else self.new))
        self._put(self.old)
        return f"{self.path}:{self.line}: {before}  →  {after.splitlines()[0]}"


def mutants(path: Path, keys: bool = False) -> list[Mutant]:
    """All changes of a file, by the rules above; or of its keys alone."""
    text = (ROOT / path).read_text()
    tree = ast.parse(text)
    change = _shorter_key(tree) if keys else _alternatives
    sizes = {
        line
        for node in ast.walk(tree)
        if _named(node, path.stem) in SIZES | NEUTRAL
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    found = [
        Mutant(path, line, tree, holder, field, position, node, new)
        for line, holder, field, position, node in _places(tree, 0)
        if line not in sizes
        for new in change(node)
    ]
    lines = text.splitlines()
    return [m for m in found if not _equivalent(lines[m.line - 1], str(m))]


def _named(node: ast.AST, module: str) -> str:
    """A function, or what is assigned, by its module and name."""
    if isinstance(node, ast.FunctionDef):
        return f"{module}.{node.name}"
    return f"{module}.{ast.unparse(node.targets[0])}" if isinstance(node, ast.Assign) else ""


def _equivalent(line: str, change: str) -> bool:
    return any(
        part in line and any(w in change for w in words.split(" | "))
        for part, words, _ in EQUIVALENT
    )


def _shorter_key(tree: ast.Module) -> Callable[[ast.AST], Iterator[ast.AST]]:
    """For the keys of a module: each of their parts left out."""
    keys: set[int] = set()
    for node in ast.walk(tree):
        held: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            if ast.unparse(node.targets[0]).endswith(("key", "base", "wanted")):
                held = [node.value]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("cached", "self.keep"):
            held = node.args[:2]
        elif isinstance(node, ast.FunctionDef) and node.name.endswith("key"):
            held = [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value]
        keys |= {id(e) for e in held if isinstance(e, ast.Tuple) and len(e.elts) > 1}

    def shorter(node: ast.AST) -> Iterator[ast.AST]:
        if isinstance(node, ast.Tuple) and id(node) in keys:
            for n in range(len(node.elts)):
                yield ast.Tuple(node.elts[:n] + node.elts[n + 1 :], ast.Load())

    return shorter


def _places(holder: ast.AST, line: int) -> Iterator[tuple[int, ast.AST, str, int | None, ast.AST]]:
    """Every node that may be changed, with the place that holds it."""
    for field, value in ast.iter_fields(holder):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for position, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(node, ast.AST) or _left_out(node):
                continue
            here = getattr(node, "lineno", line)
            yield here, holder, field, position, node
            yield from _places(node, here)


def _left_out(node: ast.AST) -> bool:
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.JoinedStr, ast.Raise)):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id in SIZES
    if isinstance(node, (ast.BoolOp, ast.Compare)):
        return any(isinstance(n, ast.Name) and n.id in SIZES for n in ast.walk(node))
    if isinstance(node, ast.keyword):
        return node.arg == "directed"
    return _square_side(node) or _tolerance(node)


def _square_side(node: ast.AST) -> bool:
    match node:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape")):
            return name in ("W", "C", "A", "D", "S", "operator")
    return False


def _tolerance(node: ast.AST) -> bool:
    """A small number, a negative power of two, or a product with one of them."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float) and 0 < node.value < 1e-3
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return isinstance(node.right, ast.UnaryOp)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        return _tolerance(node.left) or _tolerance(node.right)
    return False


def _alternatives(node: ast.AST) -> Iterator[ast.AST]:
    for operator in OPERATORS.get(type(node), []):
        yield operator()
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=float(value)):
            yield ast.Constant(3.0 * value or 1.0)
        case ast.UnaryOp():  # without its sign, `not` or `~`
            yield node.operand
        case ast.If() | ast.IfExp() if not _left_out(node.test):
            other = copy.copy(node)
            other.test = ast.UnaryOp(ast.Not(), node.test)
            yield other
        case ast.Break() | ast.Continue():
            yield ast.Pass()
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Slice():
            for bound in ("lower", "upper"):
                if getattr(node, bound) is not None:
                    other = copy.copy(node)
                    setattr(other, bound, None)
                    yield other
        case ast.Subscript(value=ast.Name(id="left" | "D" | "R")):
            return  # symmetric
        case ast.Subscript(slice=ast.Tuple(elts=[ast.Name() as a, ast.Name() as b])):
            yield ast.Subscript(node.value, ast.Tuple([b, a]), node.ctx)
        case ast.Call(func=ast.Name(id=name)) if name in TWINS:
            yield ast.Call(ast.Name(TWINS[name]), node.args, node.keywords)
        case ast.Call(func=ast.Attribute(attr=name)) if name in TWINS:
            twin = ast.Attribute(node.func.value, TWINS[name], ast.Load())
            yield ast.Call(twin, node.args, node.keywords)


class QuickFirst:
    """A plugin of pytest: the quickest tests first, by what they took in the run before."""

    def __init__(self, path: Path):
        self.path = path
        self.took: dict[str, float] = json.loads(path.read_text()) if path.exists() else {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items.sort(key=lambda item: self.took.get(item.nodeid, 0.0))

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.took[report.nodeid] = self.took.get(report.nodeid, 0.0) + report.duration

    def pytest_sessionfinish(self) -> None:
        if not self.path.exists():
            self.path.write_text(json.dumps(self.took))


def _run_tests(folder: str, tests: list[str], seconds: int, taken: Any) -> None:
    """In a process of its own: the tests of the copy, to the first failure."""
    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    os.chdir(folder)
    sys.path.insert(0, folder)
    for name in [m for m in sys.modules if m.split(".")[0] in ("tests", "sdsc_core")]:
        del sys.modules[name]
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    options = [
        "-x",
        "-q",
        "-n",
        "0",
        "--assert=plain",
        "-p",
        "no:cacheprovider",
        "-m",
        "not compiled",
    ]
    code = pytest.main([*options, *tests], plugins=[QuickFirst(Path(folder, "durations.json"))])
    taken.value = time.process_time()
    os._exit(code)


def passes(folder: Path, tests: list[str], limit: float) -> float:
    """The seconds that all tests of the copy take, 0 where one fails or the limit is passed.

    Of the processor: a machine with other work must not pass for a test that noticed something.
    What waits without working is ended later.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    taken = context.Value("d", 0.0)
    process = context.Process(target=_run_tests, args=(str(folder), tests, int(limit), taken))
    process.start()
    process.join(PATIENCE * limit)
    if process.is_alive():
        process.kill()
        process.join()
    return taken.value if process.exitcode == 0 else 0.0


def files_of(module: str) -> list[Path]:
    """Files of a module, which may be a folder."""
    if module in KEYS:
        return list(map(Path, KEPT_BY))
    place = Path("sdsc_core") / module
    if (ROOT / place).is_dir():
        found = sorted(p.relative_to(ROOT) for p in (ROOT / place).glob("*.py"))
        return [p for p in found if str(p.with_suffix("").relative_to("sdsc_core")) not in TESTS]
    return [Path("sdsc_core", f"{name}.py") for name in (module, *MORE_FILES.get(module, []))]


def survivors(module: str, chosen: list[Mutant], folder: Path) -> list[Mutant]:
    """The changes that all tests of the module let through."""
    tests = KEYS.get(module) or [*TESTS[module], *map(str, files_of(module))]
    (folder / "durations.json").unlink(missing_ok=True)
    taken = passes(folder, tests, 600)
    if not taken:
        raise SystemExit(f"The tests of {module} fail without any change: {' '.join(tests)}")
    limit = 20 + 3 * taken
    print(f"{module}: the tests take {taken:.0f} s", flush=True)
    left = []
    for done, mutant in enumerate(chosen):
        as_it_is = (folder / mutant.path).read_text()
        (folder / mutant.path).write_text(mutant.source())
        if passes(folder, tests, limit):
            left.append(mutant)
            print(f"  survives: {mutant}", flush=True)
        (folder / mutant.path).write_text(as_it_is)
        print(f"{module}: {done + 1} of {len(chosen)}", end="\r", file=sys.stderr, flush=True)
    return left


def main() -> None:
    parser = argparse.ArgumentParser(description="Share of faults that the tests notice.")
    known = ", ".join([*TESTS, *KEYS])
    parser.add_argument("modules", nargs="*", metavar="module", help=f"of {known}")
    parser.add_argument("--sample", type=int, help="changes of each module, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--lines", help="only these lines of the module, as 40-60")
    options = parser.parse_args()
    if unknown := set(options.modules) - {*TESTS, *KEYS}:
        parser.error(f"{', '.join(unknown)}: choose of {known}.")
    modules = options.modules or [m for m in TESTS if m not in COMPILED]
    if not set(modules) & COMPILED:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    elif not set(modules) <= COMPILED:
        parser.error(f"{', '.join(COMPILED)}: by themselves, since they need compiled kernels.")
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "1", "HYPOTHESIS_PROFILE": "mutation"}
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    low, high = map(int, (options.lines or "0-1000000").split("-"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("sdsc_core", "pages", "tests", "sample_data"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, folder / part, ignore=ignored)
        shutil.copy(ROOT / "pyproject.toml", folder)
        for module in modules:
            found = [m for f in files_of(module) for m in mutants(f, module in KEYS)]
            chosen = [m for m in found if low <= m.line <= high]
            total = len(chosen)
            if options.sample and options.sample < total:
                chosen = random.Random(options.seed).sample(chosen, options.sample)
            left = survivors(module, chosen, folder)
            caught = len(chosen) - len(left)
            share = 100 * caught / max(1, len(chosen))
            print(
                f"{module}: {caught} of {len(chosen)} changes caught, {share:.0f} %, {total} in all"
            )


if __name__ == "__main__":
    main()

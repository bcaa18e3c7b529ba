"""The house: no cycle between modules, no arrow from library to app, nothing too long to read."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULE_LINES, FUNCTION_LINES = 370, 60
# A reason for each that is longer: what a reader gains from having it in one piece.
LONG_FUNCTIONS = {"sdsc_core.imc_path.imc": "two thirds are its docstring"}
# Names of Streamlit that may change without notice, and the one file that uses them.
INNER_NAMES = ("PagesManager", "data-testid", "stApp", "streamlit.runtime", "streamlit.web")
INNER_FILE = "pages.shared.streamlit_inside"


@cache
def modules():
    """Every module of library and app by its dotted name."""
    files = [ROOT / "app.py", *ROOT.glob("sdsc_core/**/*.py"), *ROOT.glob("pages/**/*.py")]
    found = {}
    for file in files:
        name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = file
    return found


def imports(name):
    """Modules of ours that a module imports, wherever in the file it does."""
    tree = ast.parse(modules()[name].read_text())
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert not node.level, f"{name} imports relatively"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in modules() else node.module)
    return found & modules().keys()


def test_imports_have_no_cycle():
    # A package's __init__ only gathers names; who asks for a part of it asks for that part.
    graph = {name: imports(name) - {name} for name in modules()}
    while leaves := [name for name, to in graph.items() if not to]:
        for leaf in leaves:
            del graph[leaf]
        for to in graph.values():
            to.difference_update(leaves)
    assert not graph, f"modules on or behind a cycle: {sorted(graph)}"


@pytest.mark.parametrize("name", [n for n in modules() if n.startswith("sdsc_core")])
def test_library_knows_nothing_of_the_app(name):
    tree = ast.parse(modules()[name].read_text())
    tops = {
        (node.module or "").partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    } | {
        alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert not tops & {"streamlit", "pages", "app"}


@pytest.mark.parametrize("name", [n for n in modules() if n.startswith("pages")])
def test_a_screen_computes_nothing(name):
    text = modules()[name].read_text()
    tree = ast.parse(text)
    tops = {
        (node.module or "").partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    tops |= {
        alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert not tops & {"numba", "scipy", "sklearn"}
    assert "np.linalg" not in text


def test_streamlits_inner_names_stand_in_one_file():
    texts = {name: file.read_text() for name, file in modules().items() if name != INNER_FILE}
    found = [
        (name, inner) for name, text in texts.items() for inner in INNER_NAMES if inner in text
    ]
    assert not found


def test_streamlits_test_ids_stand_in_one_file_of_the_tests():
    own = {"browser.py", Path(__file__).name}
    files = [file for file in (ROOT / "tests").glob("*.py") if file.name not in own]
    used = re.compile(r"data-testid|get_by_test_id|[\"'.=]st[A-Z]")
    found = [(file.name, hit[0]) for file in files for hit in used.finditer(file.read_text())]
    assert files and not found


@pytest.mark.parametrize("name", list(modules()))
def test_a_module_can_be_read_at_once(name):
    text = modules()[name].read_text()
    assert text.count("\n") <= MODULE_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            if f"{name}.{node.name}" not in LONG_FUNCTIONS:
                assert length <= FUNCTION_LINES, f"{node.name} has {length} lines"


def test_a_matrix_times_itself_goes_by_one_function():
    """On several threads NumPy's ends the process for many rows; `gram` knows of it."""
    found = []
    for name, file in modules().items():
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
                left, right = ast.unparse(node.left), ast.unparse(node.right)
                if left == f"{right}.T" or right == f"{left}.T":
                    found.append(name)
    assert [name for name in found if not name.startswith("sdsc_core.cli.")] == ["sdsc_core.blocks"]


def test_names_are_not_shadowed():
    """A function of the package must not hide the module of the same name."""
    import sdsc_core

    for name in sdsc_core.__all__:
        if f"sdsc_core.{name}" in modules():
            assert hasattr(getattr(sdsc_core, name), "__path__"), name


def test_folders_are_not_heaps():
    counts = Counter(file.parent for file in modules().values())
    assert max(counts.values()) <= 20, counts.most_common(2)


def test_the_map_names_what_is_there():
    """Every file and folder in CONTRIBUTING's map exists, and holds the name said to be in it."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    text = text[: text.index("## Run the tests")]
    roots = ("app.py", "sdsc_core", "pages", "tests", "deploy")
    there = [p for root in roots for p in (ROOT / root, *(ROOT / root).rglob("*"))]

    def found(name):
        return [p for p in there if p.as_posix().endswith(f"/{name.rstrip('/')}")]

    named = set(
        re.findall(r"[\w/]+\.(?:py|js|css)\b|\b(?:sdsc_core|pages|deploy)/[\w/]*(?=/)", text)
    )
    assert len(named) > 60 and not [name for name in named if not found(name)]
    said = re.findall(r"`(\w+)`\)?[^`|;]{0,12}\b(?:in|of) `([\w/]+\.py)`", text)
    assert len(said) > 12
    for name, file in said:
        assert any(re.search(rf"\b{name}\b", p.read_text()) for p in found(file)), (name, file)

"""What goes from the app into a file: matrices, raised pairs, points, scripts and notebooks."""

import ast
import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core.checks import Affinity, is_sparse
from sdsc_core.datasets import point_columns
from sdsc_core.datasets.dataset import LETTER_BYTES, table_csv
from sdsc_core.dense import Changes
from sdsc_core.memory import check_memory
from sdsc_core.run import Run
from sdsc_core.settings import RunSettings

NPZ_BYTES = 36  # an entry of W at the largest moment
PAIR_BYTES = 1000  # of a pair and its witness in a table, but for the letters of their names
TEMPLATE = '''"""Computes again what SDSC Explorer showed."""

import json
from pathlib import Path

from sdsc_core import RunSettings, datasets, run_stages

# The data, as it was read and prepared.
{load}
data = datasets.prepare(
    data,
    only={only},
    classes={classes},
    per_class={each},
    scattering={scattering},
    pca={pca},
    unit_norm={unit},
    centre={centre},
    standardise={standardise},
    random_state={draw},
)

# Algorithm 3 and its figures.
run = run_stages(data, {settings})
result = {{}}
for name, side in (("W", run.before), ("W*", run.after)):
    s = side.summary
    result[name] = {{
        "ACC": s.acc, "NMI": s.nmi, "CONN": s.conn.whole, "CONN min": s.conn.min,
        "CONN mean": s.conn.mean, "Ncut": s.ncut, "inside": s.inside, "nonzeros": s.nonzeros,
    }}
print(json.dumps(result, indent=2))

# A row for each point: where it is in the file, its identifier and class, and its clusters.
labels = datasets.points_csv(data, run.before.labels, run.after.labels)
Path("labels.csv").write_text(labels, encoding="utf-8")
'''


def script(settings: RunSettings, preparation: dict[str, Any], *, load: str) -> str:
    """The script of a run; ``load`` is the line that makes ``data``.

    >>> steps = dict.fromkeys("only classes each scattering pca unit centre draw".split())
    >>> text = script(RunSettings(gamma=5), steps, load="data = datasets.sample('faces')")
    >>> "run_stages(data, RunSettings(gamma=5))" in text
    True
    """
    given = ", ".join(f"{name}={value!r}" for name, value in settings.changed().items())
    steps = {"standardise": False, **preparation}
    return TEMPLATE.format(load=load, settings=f"RunSettings({given})", **steps)


def notebook(text: str) -> str:
    """A script as a Jupyter notebook (nbformat 4.5) with the same lines, for any script.

    Its docstring becomes the text at the top. A cell ends where a blank line stands between two
    statements, so that what belongs together stays together.

    >>> cells = json.loads(notebook('\"\"\"Adds.\"\"\"\\n\\na = 1\\n\\nprint(a + 1)\\n'))["cells"]
    >>> [(c["cell_type"], "".join(c["source"])) for c in cells]
    [('markdown', 'Adds.'), ('code', 'a = 1'), ('code', 'print(a + 1)')]
    """
    tree, lines = ast.parse(text), text.splitlines()
    told = ast.get_docstring(tree)
    first = tree.body[0].end_lineno or 0 if told is not None else 0
    cells: list[dict[str, Any]] = []
    if told is not None:
        cells.append({"cell_type": "markdown", "source": told})
    cells += [{"cell_type": "code", "source": part} for part in _parts(tree, lines, first)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    for number, cell in enumerate(cells):
        cell |= {"id": f"cell-{number}", "metadata": {}}
        cell["source"] = cell["source"].splitlines(keepends=True)
        if cell["cell_type"] == "code":
            cell |= {"execution_count": None, "outputs": []}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    whole = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _parts(tree: ast.Module, lines: list[str], first: int) -> list[str]:
    """The lines from ``first`` on, cut at blank ones that lie in no statement."""
    inside = {k for node in tree.body for k in range(node.lineno, node.end_lineno or 0)}
    parts: list[list[str]] = [[]]
    for number, line in enumerate(lines[first:], first + 1):
        if line.strip() or number in inside:
            parts[-1].append(line)
        elif parts[-1]:
            parts.append([])
    return ["\n".join(part) for part in parts if part]


def points_of(run: Run, points: NDArray[np.int64]) -> dict[str, NDArray]:
    """`columns_of` some points (n,) of a run alone.

    >>> from sdsc_core.datasets import make_subspaces
    >>> from sdsc_core.run import run_stages
    >>> points_of(run_stages(make_subspaces(2, 2, 10, 8)), np.array([3, 9]))["row"].tolist()
    [4, 10]
    """
    return {name: column[points] for name, column in columns_of(run).items()}


def points_npz(run: Run, points: NDArray[np.int64]) -> bytes:
    """Some points as the bytes of a file that `datasets.load` reads: X, y and their columns.

    >>> from sdsc_core.datasets import load, make_subspaces
    >>> from sdsc_core.run import run_stages
    >>> run = run_stages(make_subspaces(2, 2, 10, 8))
    >>> load(io.BytesIO(points_npz(run, np.array([3, 9]))), name="points.npz").class_names
    ('subspace 1', 'subspace 2')
    """
    columns = points_of(run, points)
    arrays: dict[str, NDArray] = {"X": run.data.X[points]} | columns
    if "class" in columns:
        arrays["y"] = columns["class"]
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]  # its stubs know no mapping
    return buffer.getvalue()


def composition(labels: NDArray[np.int64], points: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """How many of ``points`` (n,) lie in each group of ``labels`` (N,): group, number, its size.

    The largest number first; groups without any of them are left out.

    >>> composition(np.array([0, 0, 1, 1, 2]), np.array([1, 2, 3]))
    [(1, 2, 2), (0, 1, 2)]
    """
    size = np.bincount(labels)
    here = np.bincount(labels[points], minlength=len(size))
    order = np.argsort(-here, kind="stable")
    return [(int(g), int(here[g]), int(size[g])) for g in order if here[g]]


def columns_of(run: Run) -> dict[str, NDArray]:
    """`point_columns` of a run, (N,) each.

    >>> from sdsc_core.datasets import make_subspaces
    >>> from sdsc_core.run import run_stages
    >>> ", ".join(columns_of(run_stages(make_subspaces(2, 2, 10, 8))))
    'point, row, class, cluster_W, cluster_W_star'
    """
    return point_columns(run.data, run.before.labels, run.after.labels)


def check_changes(run: Run, pairs: int) -> None:
    """`TooLarge` where `changes_csv` of so many pairs would take more memory than may be used.

    >>> from sdsc_core import run_stages
    >>> from sdsc_core.datasets import make_subspaces
    >>> check_changes(run_stages(make_subspaces(2, 2, 10, 8)), 100)
    """
    each = PAIR_BYTES + 3 * LETTER_BYTES * run.data.letters()
    check_memory(
        pairs * each, f"A table of {pairs:,} pairs", None, instead="filter them, or give fewer"
    )


def changes_csv(run: Run, changed: Changes, order: NDArray[np.int64] | None = None) -> str:
    """Raised pairs as a table: i, j and the witness k with what is known of each point.

    ``order`` are positions in ``changed``, as `rank_changes` gives them. The columns of k are empty
    where no single point explains an entry.

    >>> from sdsc_core import changes, run_stages
    >>> from sdsc_core.datasets import make_subspaces
    >>> run = run_stages(make_subspaces(2, 2, 10, 8))
    >>> changes_csv(run, changes(run.before.W, run.after.W)).split(",")[:4]
    ['i', 'row_i', 'class_i', 'cluster_W_i']
    """
    order = np.arange(len(changed)) if order is None else order
    check_changes(run, len(order))
    known, table = columns_of(run), {}
    points = known.pop("point")
    for name, which in (("i", changed.i), ("j", changed.j), ("k", changed.witness)):
        at, found = which[order], which[order] >= 0
        table[name] = np.where(found, points[at].astype(object), "")
        for column, values in known.items():
            table[f"{column}_{name}"] = np.where(found, values[at].astype(object), "")
        if name == "j":
            table |= {"w": changed.before[order], "w_star": changed.after[order]}
            table["condition"] = changed.condition[order]
    return table_csv(table)


def check_npz(W: Affinity) -> None:
    """`TooLarge` where `affinity_npz` would take more memory than may be used.

    >>> check_npz(sp.csr_array([[0, 0.5], [0.5, 0]]))
    """
    # The file, and once more as bytes; an array is made sparse first.
    size = NPZ_BYTES * W.nnz if is_sparse(W) else 2 * NPZ_BYTES * W.size
    check_memory(size, "its file", W.shape[0], name="W", instead="keep the labels, or fewer points")


def affinity_npz(W: Affinity, columns: Mapping[str, NDArray] | None = None) -> bytes:
    """An affinity (N, N) as the bytes of a file that `scipy.sparse.load_npz` reads.

    ``columns``, as `columns_of` gives them, go into the same file: `numpy.load` reads what row of
    the data each row of W is.

    >>> data = affinity_npz(sp.csr_array([[0, 0.5], [0.5, 0]]))
    >>> sp.load_npz(io.BytesIO(data)).toarray().tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    check_npz(W)
    buffer = io.BytesIO()
    sp.save_npz(buffer, sp.csr_array(W))
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, column in (columns or {}).items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, column, allow_pickle=False)
    return buffer.getvalue()

"""What goes from the app into a file: an affinity, and a script that computes a run again."""

import io
from typing import Any

import scipy.sparse as sp

from sdsc_core.checks import Affinity
from sdsc_core.settings import RunSettings

TEMPLATE = '''"""Computes again what SDSC Explorer showed."""

import json
from pathlib import Path

from sdsc_core import RunSettings, datasets, run_stages

{load}
data = datasets.prepare(
    data,
    classes={classes},
    per_class={each},
    scattering={scattering},
    pca={pca},
    unit_norm={unit},
    centre={centre},
    random_state={draw},
)
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

    >>> steps = dict.fromkeys("classes each scattering pca unit centre draw".split())
    >>> text = script(RunSettings(gamma=5), steps, load="data = datasets.sample('faces')")
    >>> "run_stages(data, RunSettings(gamma=5))" in text
    True
    """
    given = ", ".join(f"{name}={value!r}" for name, value in settings.changed().items())
    return TEMPLATE.format(load=load, settings=f"RunSettings({given})", **preparation)


def affinity_npz(W: Affinity) -> bytes:
    """An affinity (N, N) as the bytes of a file that `scipy.sparse.load_npz` reads.

    >>> data = affinity_npz(sp.csr_array([[0, 0.5], [0.5, 0]]))
    >>> sp.load_npz(io.BytesIO(data)).toarray().tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    buffer = io.BytesIO()
    sp.save_npz(buffer, sp.csr_array(W))
    return buffer.getvalue()

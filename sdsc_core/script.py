"""A short script that computes a result again with the library alone."""

from typing import Any

TEMPLATE = '''"""Computes again what SDSC Explorer showed."""

import json
from pathlib import Path

from sdsc_core import datasets, dense_stage, imc, spectral_clustering, spectrum, summarise

{load}
data = datasets.prepare(
    data,
    classes={classes},
    per_class={each},
    pca={pca},
    unit_norm={unit},
    centre={centre},
    random_state={draw},
)
path = imc(data.X, {gamma}, residual={residual!r}, similarity={similarity!r})
W = path.affinity()
W_star = dense_stage(W, {dense!r}, {theta1}, {theta2})
result, found = {{}}, []
for name, A in (("W", W), ("W*", W_star)):
    top = spectrum(A, {vectors}, {k}, {seed})
    labels = spectral_clustering(A, {k}, {seed}, spectrum_=top)
    found.append(labels)
    s = summarise(A, labels, data.labels)
    result[name] = {{
        "ACC": s.acc, "NMI": s.nmi, "CONN": s.conn.whole, "CONN min": s.conn.min,
        "CONN mean": s.conn.mean, "Ncut": s.ncut, "inside": s.inside, "nonzeros": s.nonzeros,
    }}
print(json.dumps(result, indent=2))
# A row for each point: where it is in the file, its identifier and class, and its clusters.
Path("labels.csv").write_text(datasets.points_csv(data, *found), encoding="utf-8")
'''


def script(settings: dict[str, Any], *, load: str) -> str:
    """The script for settings by their names; ``load`` is the line that makes ``data``.

    >>> names = "classes each pca unit centre draw gamma residual similarity dense theta1 theta2"
    >>> values = dict.fromkeys([*names.split(), "k", "seed", "vectors"])
    >>> script(values, load="data = datasets.sample('faces')").splitlines()[0]
    '\"\"\"Computes again what SDSC Explorer showed.\"\"\"'
    """
    return TEMPLATE.format(load=load, **settings)

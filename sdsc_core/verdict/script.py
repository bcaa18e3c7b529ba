"""A script that computes the clusters of the leading setting, with the library alone."""

from collections.abc import Mapping
from typing import Any

from sdsc_core.verdict.judging import Verdict

TEMPLATE = '''"""Clusters by what the verdict of SDSC Explorer put first: {title}."""

from pathlib import Path

from sdsc_core import RunSettings, datasets, run_stages
from sdsc_core.baselines import BASELINES

# The data, as it was read and prepared.
{load}
data = datasets.prepare(
    data,
{steps}
)

{cluster}

# A row for each point: where it is in the file, its identifier and class, and its cluster.
Path("clusters.csv").write_text(datasets.points_csv(data, labels), encoding="utf-8")
'''


def take_script(verdict: Verdict, preparation: Mapping[str, Any], *, load: str) -> str:
    """The script of what a verdict says to take; ``load`` is the line that makes ``data``.

    ``preparation`` are the arguments of `datasets.prepare`. Empty where nothing leads.
    """
    if verdict.best is None:
        return ""
    candidate, k = verdict.best.candidate, verdict.findings.n_clusters
    settings = candidate.settings(k)
    if settings is None:
        given = "".join(f", {name}={value!r}" for name, value in candidate.params)
        how = f"BASELINES[{candidate.method!r}].cluster(data.X, {k}, random_state=0{given}).labels"
    else:
        changed = ", ".join(f"{name}={value!r}" for name, value in settings.changed().items())
        how = f"run_stages(data, RunSettings({changed}), only_dense=True).after.labels"
    steps = "\n".join(f"    {name}={value!r}," for name, value in preparation.items())
    return TEMPLATE.format(title=candidate.title, load=load, steps=steps, cluster=f"labels = {how}")

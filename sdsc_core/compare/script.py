"""A script that repeats a comparison with the library alone."""

from collections.abc import Mapping, Sequence
from typing import Any

from sdsc_core.datasets import steps_in_words

TEMPLATE = '''"""Repeats a comparison of SDSC Explorer: prints its tables, keeps every result."""

from pathlib import Path

from sdsc_core import compare, datasets

{load}


def draw(repeat):
    """The points of a repeat: other samples each time, where samples are drawn."""
    return datasets.prepare(
        data,
        only={only!r},
        classes={classes!r},
        per_class={per_class!r},
        scattering={scattering!r},
        pca={pca!r},
        unit_norm={unit_norm!r},
        centre={centre!r},
        standardise={standardise!r},
        random_state={random_state},
    )


methods = {methods}
results = compare.compare_methods(
    draw,
    methods,
    stages={stages!r},
    repeats={repeats},
    n_clusters={n_clusters},
    seed={seed},
    theta1={theta1},
    theta2={theta2},
)
about = compare.About.of(
    draw(0),
    {n_clusters},
    methods,
    thetas={thetas},
    seed={seed},
    prepared={prepared!r},
)
for figure in ({figures}):
    print(compare.to_markdown(results, figure, about=about))
Path("results.csv").write_text(compare.to_csv(results), encoding="utf-8")
'''


def comparison_script(
    methods: Mapping[str, Mapping[str, Any]],
    stages: Sequence[str],
    preparation: Mapping[str, Any],
    *,
    load: str,
    n_clusters: int,
    repeats: int = 1,
    seed: int = 0,
    theta1: float = 0.8,
    theta2: float = 0.6,
    labelled: bool = True,
) -> str:
    """The script of `compare_methods`; ``load`` is the line that makes ``data``.

    ``preparation`` are the arguments of `datasets.prepare`.

    >>> steps = "classes per_class scattering pca unit_norm centre random_state".split()
    >>> text = comparison_script(
    ...     {"IMC": {}}, ["none"], dict.fromkeys(steps), load="data = None", n_clusters=3)
    >>> compile(text, "script", "exec") and "n_clusters=3" in text
    True
    """
    lines = [f"    {name!r}: {dict(params)!r}," for name, params in methods.items()]
    first = preparation["random_state"] or 0
    drawn = f"{first} + repeat" if preparation["per_class"] else "0"
    figures = ("acc", "nmi", "conn") if labelled else ("conn",)
    return TEMPLATE.format(
        load=load,
        **{"only": None, "standardise": False, **preparation, "random_state": drawn},
        methods="\n".join(["{", *lines, "}"]),
        stages=list(stages),
        repeats=repeats,
        n_clusters=n_clusters,
        seed=seed,
        theta1=theta1,
        theta2=theta2,
        thetas=(theta1, theta2) if "PCE" in stages else (),
        prepared=steps_in_words(preparation, labelled),
        figures=", ".join(f'"{f}"' for f in figures) + ",",
    )

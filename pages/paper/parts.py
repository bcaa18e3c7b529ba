"""What the Paper screen calls its parts, and what it says of where results come from."""

import re

import streamlit as st

from pages.shared.text import escape_markdown
from sdsc_core.experiments import EXPERIMENTS, Results
from sdsc_core.experiments.printed import BEST_THETA

NOT_YET = (
    "This experiment has no result file yet. `sdsc reproduce {name} --data DIR --out OUT` measures"
    " it, and `sdsc reproduce {name} --out OUT --ship` puts it here."
)
LIMIT = re.compile(r"over the limit of ([\d,]+ s)")
IN_WORDS = {
    "n_iterations=": "Γ = ", "gamma=": "Γ = ", " residual=as_printed similarity=residual":
    ", as printed",
}  # fmt: skip
MANY_READINGS, MANY_THETAS = ("readings",), ("figure2",)  # that an experiment tries itself


def missing(name: str) -> None:
    """In place of an experiment that was not run."""
    st.info(NOT_YET.format(name=name), icon=":material/hourglass_empty:")


def origin(results: Results, name: str) -> None:
    """When, where and with what the results were measured, and the reading of IMC if it is one."""
    for run in results.runs[-1:]:
        versions = ", ".join(
            f"{name} {version}" for name, version in run.items() if name not in ("date", "machine")
        )
        dates = sorted({str(r.get("date", "")) for r in results.runs})
        when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
        draws = f"up to {results.n_draws} draws" if results.n_draws > 1 else "each once"
        st.caption(escape_markdown(
            f"Measured {when} on {run.get('machine', 'a machine')} ({versions}), {draws}."
        ))  # fmt: skip
    reading = results.settings.get("IMC")
    if reading and name not in MANY_READINGS:
        others = "".join(f"; {text}{key.removeprefix('IMC')}" for key, text in
                         results.settings.items() if key.startswith("IMC at "))  # fmt: skip
        has_theta = name not in MANY_THETAS and any(row.stage == "PCE" for row in results.rows)
        thetas = "; θ₁ = {theta1}, θ₂ = {theta2} for PCE".format(**BEST_THETA) * has_theta
        said = reading + others
        for text, words in IN_WORDS.items():
            said = said.replace(text, words)
        st.caption(f"The reading of IMC: {escape_markdown(said)}{thetas}.")
    limits = dict.fromkeys(m[1] for r in results.rows if (m := LIMIT.search(r.message)))
    if limits:
        st.caption(f"Too slow: by a smaller size a draw would take over {' or '.join(limits)}.")


def title(name: str) -> str:
    """What an experiment is called."""
    return EXPERIMENTS[name].title

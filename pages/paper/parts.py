"""What the Paper screen calls its parts, and what it says of where results come from."""

import streamlit as st

from pages.shared.settings import PAPER_PARTS
from pages.shared.text import escape_markdown
from sdsc_core.experiments import EXPERIMENTS, Results

NOT_YET = (
    "This experiment has no result file yet. `sdsc reproduce {name} --data DIR --out OUT` measures"
    " it, and `sdsc reproduce {name} --out OUT --ship` puts it here."
)


def missing(name: str) -> None:
    """In place of an experiment that was not run."""
    st.info(NOT_YET.format(name=name), icon=":material/hourglass_empty:")


def origin(results: Results) -> None:
    """When, where and with what the results were measured, and the reading of IMC."""
    for run in results.runs[-1:]:
        versions = ", ".join(
            f"{name} {version}" for name, version in run.items() if name not in ("date", "machine")
        )
        dates = sorted({str(r.get("date", "")) for r in results.runs})
        when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
        st.caption(escape_markdown(
            f"Measured {when} on {run.get('machine', 'a machine')} ({versions}), up to"
            f" {results.n_draws} draws."
        ))  # fmt: skip
    if reading := results.settings.get("IMC"):
        st.caption(f"The reading of IMC: {escape_markdown(reading)}; θ₁ = 0.8, θ₂ = 0.6 for PCE.")


def title(name: str) -> str:
    """What an experiment is called."""
    return EXPERIMENTS[name].title if name in EXPERIMENTS else PAPER_PARTS[name]

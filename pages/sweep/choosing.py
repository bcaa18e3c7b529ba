"""What the Sweep screen goes through: the values of each axis, draws, seeds, clusters."""

from typing import Any

import streamlit as st

from pages.shared import sidebar
from pages.shared.counting import others_suggest
from pages.shared.run import patiently
from pages.shared.settings import GAMMA_MAX, SETTINGS, STAGES, rebuild
from pages.shared.sidebar import RESIDUALS, SIMILARITIES
from pages.shared.text import counted, escape_markdown
from sdsc_core.compare import suggest_clusters
from sdsc_core.datasets import Dataset
from sdsc_core.experiments import criteria
from sdsc_core.settings import NONE
from sdsc_core.sweeping import AXES, NAMES, Grid, read_axis, spell_axis

GRID = tuple(f"grid_{name}" for name in AXES)
SIGNS = {"gamma": "Γ", "theta1": "θ₁", "theta2": "θ₂"}
SUGGEST = "Suggest settings"
LIMITS: dict[str, tuple[float, float]] = {"theta1": (0.02, 1.0), "theta2": (0.01, 0.99)}


def _spelt(grid: Grid) -> dict[str, Any]:
    """A grid as the fields of the screen hold it."""
    values: dict[str, Any] = {}
    for name in AXES:
        own = getattr(grid, name)
        lists = [NONE if v is None else v for v in own]
        values[f"grid_{name}"] = spell_axis(own) if name in SIGNS else lists
    return values | {"lines": grid.cross is not None}


def _presets() -> dict[str, tuple[str, dict[str, Any]]]:
    """Grids by their titles: what each is for, and the fields that it sets."""
    usual = {name: SETTINGS[name].default for name in (*GRID, "lines")}
    return {
        "Γ × θ₁ × θ₂": ("PCE with its two thresholds.", usual),
        "Figure 2": (
            "The two lines of the paper's Figure 2: θ₁ with θ₂ = 0.6, and θ₂ with θ₁ = 0.8.",
            _spelt(Grid.figure2()),
        ),
        "Dense stages": (
            "Every dense stage, and none, at each Γ.",
            usual | {"grid_dense": list(STAGES), "grid_theta1": "0.8", "grid_theta2": "0.6"},
        ),
        SUGGEST: (
            "Which settings to take, found without a look at labels: sweeps the grid on which that"
            " was measured (stages, thresholds and the reading of the similarity, with three draws"
            " and two seeds) and says how far to trust it.",
            _spelt(criteria.GRID)
            | {"draws": criteria.DRAWS, "seeds": len(criteria.SEEDS), "judge": True},
        ),
    }  # fmt: skip


def grid(data: Dataset) -> Grid | None:
    """Fields for the values of each axis; a grid that cannot be is said, and is None."""
    _offer_presets()
    state = st.session_state
    columns = st.columns(5)
    for spot, (name, sign) in zip(columns, SIGNS.items(), strict=False):
        spot.text_input(
            sign, key=f"grid_{name}",
            help=f"{NAMES[name]}: FIRST:LAST:STEP with the end included, as {_usual(name)}, or"
            " values with commas between them." + ("" if name == "gamma" else " For PCE alone."),
        )  # fmt: skip
    columns[3].number_input(
        "Draws", 1, 20, key="draws",
        help="The first is the data itself, each further one a random 80 % of its points; where the"
        " Data screen draws samples of each class, each is another such draw.",
    )  # fmt: skip
    columns[4].number_input("Seeds", 1, 20, key="seeds", help="Of k-means.")
    row = st.container(horizontal=True, gap="medium")
    _several(row, "Dense stages", "grid_dense", {s: s for s in STAGES})
    _several(row, "Residual", "grid_residual", RESIDUALS)
    _several(row, "Similarity cᵢⱼ", "grid_similarity", SIMILARITIES)
    if data.n_classes:
        row.toggle(
            "Criteria without labels", key="judge",
            help="Silhouette, and distance to the found subspaces: what *Suggest settings* goes by."
            " Without labels they are always there.",
        )  # fmt: skip
    try:
        axes: dict[str, Any] = {name: _values(data, name) for name in SIGNS}
        axes |= {name: tuple(state[f"grid_{name}"]) for name in ("residual", "similarity")}
        axes["dense"] = tuple(None if s == NONE else s for s in state.grid_dense)
        chosen = Grid(**axes, cross=(0.8, 0.6) if state.lines else None)
        chosen.settings()
    except ValueError as problem:
        st.warning(escape_markdown(str(problem)), icon=":material/info:")
        return None
    return chosen


def _offer_presets() -> None:
    row = st.container(horizontal=True)
    for title, (words, values) in _presets().items():
        row.button(
            title, key=f"sweep {title}", help=words, on_click=_use, args=(title, values),
            icon=":material/lightbulb:" if title == SUGGEST else None,
        )  # fmt: skip
    if st.session_state.lines:
        row.caption("Two lines through θ₁ = 0.8, θ₂ = 0.6; not all pairs.")


def _use(title: str, values: dict[str, Any]) -> None:
    """A preset's fields; a suggestion is what was asked for, so its sweep begins by itself."""
    rebuild()
    state, asked = st.session_state, title == SUGGEST
    state.update(values)
    state.suggestion_first = state.sweep_now = asked


def _usual(name: str) -> str:
    return SETTINGS[f"grid_{name}"].default


def _several(row: Any, title: str, key: str, choices: dict[str, str]) -> None:
    state = st.session_state
    known = [c for c in choices if c in state[key]]
    state[key] = known or SETTINGS[key].default
    row.pills(
        title, list(choices), key=key, selection_mode="multi", format_func=choices.__getitem__,
        wrap=True,
    )  # fmt: skip


def _values(data: Dataset, name: str) -> tuple[Any, ...]:
    """The values of an axis, within what Explore's sliders can show."""
    try:
        values = read_axis(name, st.session_state[f"grid_{name}"])
    except ValueError as problem:
        rest = str(problem).removeprefix(name)
        raise ValueError(f"{SIGNS[name]}{rest}") from None
    if name == "gamma":
        top = min(GAMMA_MAX, int(0.8 * data.n_points) - 1)
        kept = tuple(v for v in values if v <= top)
        if not kept:
            raise ValueError(f"Γ is {spell_axis(values)}; give values up to {top} for this data.")
        if len(kept) < len(values):
            st.caption(f"Γ goes up to {top} here.")
        return kept
    low, high = LIMITS[name]
    return tuple(dict.fromkeys(min(max(round(v, 2), low), high) for v in values))


def clusters(data: Dataset) -> int:
    """How many clusters, for all settings alike, as the sidebar says."""
    state = st.session_state
    sidebar.clusters(data)
    if state.clusters == "own":
        number = min(state.k, data.n_points)
    elif state.clusters == "known":
        number = data.n_classes
    else:
        number = _suggested(data)
        st.caption(
            f"{counted(number, 'cluster')} for every setting, as the eigengap of IMC's affinity"
            f" suggests; the sidebar takes another number."
            f" {others_suggest(data, number, st.empty())}"
        )
    if not data.n_classes:
        st.caption("Without labels there is no ACC or NMI; CONN and Ncut go by the found clusters.")
    return number


def _suggested(data: Dataset) -> int:
    """One number for the whole sweep: by its own gap, each setting would have another."""
    try:
        return patiently(
            "Suggesting a number of clusters",
            ("suggested", data.digest),
            lambda tell: suggest_clusters(data, tell),
        )
    except ValueError:
        return 1


def words(n_settings: int, draws: int, seeds: int) -> str:
    """What a sweep comes to: settings, draws, seeds."""
    parts = [counted(n_settings, "setting")]
    if draws > 1:
        parts.append(counted(draws, "draw"))
    if seeds > 1:
        parts.append(counted(seeds, "seed"))
    return " × ".join(parts)

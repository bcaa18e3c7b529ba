"""Step through: IMC for one point, the dense stage for one pair, and both as Γ grows."""

import streamlit as st

from pages.shared.opening import opening

with opening(
    "Step through",
    "The method in slow motion: how **one point** finds its partners, why **one pair** gets linked"
    " although it was not, and how **the whole matrix** fills up.",
    overlay=True,
) as spot:
    from pages.shared.screen import present_run
    from pages.shared.warm import warm
    from pages.step import one_pair, one_point, whole_stage
warm(spot)
run = present_run(spot)

VIEWS = {"point": "One point", "pair": "One pair", "stage": "Whole stage"}
view = st.segmented_control(
    "What to step through", list(VIEWS), key="step", format_func=VIEWS.__getitem__, required=True
)
if view == "point":
    one_point.show(run)
elif view == "pair":
    one_pair.show(run)
else:
    whole_stage.show(run, spot)

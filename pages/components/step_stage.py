"""W as Γ grows, W* laid over it, and curves below: played, scrubbed and faded in the browser."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.components.canvas import pack, script, source
from sdsc_core.figures.steps import Frames

HTML = """
<div class='bar'></div>
<div class='whole'>
  <div class='pair'><canvas class='matrix' role='img'></canvas>
    <div><div class='legend'><span><i class='link'></i>link of W, strong ones stand out</span>
      <span><i class='raised'></i><span class='what'></span></span></div>
      <div class='words' role='status'></div></div></div>
  <canvas class='charts' role='img'></canvas>
</div>
"""
_mount = st.components.v2.component(
    "sdsc_step_stage", html=HTML, css=source("step.css"), js=script("player", "step_stage")
)


def step_stage(head: dict[str, Any], frames: Frames) -> None:
    """Draw the frames; ``head`` holds what is written beside them."""
    arrays: dict[str, NDArray[Any]] = {
        "wStarts": np.array(frames.w_starts, np.uint32),
        "wAt": frames.w_at,
        "wValue": frames.w_value,
        "starStarts": np.array(frames.star_starts, np.uint32),
        "starAt": frames.star_at,
        "starValue": frames.star_value,
    }
    _mount(key="stage", data=pack(head, arrays), height="content")

"""The one way a kernel is compiled."""

from functools import partial
from typing import Any

from numba import njit

# Serial and without the GIL: threads come from `blocks`, so a kernel never freezes a server and
# never meets Numba's threading layer. IEEE order is kept, because ties and θ decide by equality.
kernel: Any = partial(njit, nogil=True, cache=True, error_model="numpy")

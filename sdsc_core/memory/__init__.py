"""Memory: how much there is (`available`), and who may take how much of it (`budget`)."""

from sdsc_core.memory.available import available_memory
from sdsc_core.memory.budget import (
    BUDGET,
    Account,
    TooLarge,
    check_memory,
    free_room,
    many_steps,
    working_for,
)

__all__ = [
    "BUDGET", "Account", "TooLarge", "available_memory", "check_memory", "free_room", "many_steps",
    "working_for",
]  # fmt: skip

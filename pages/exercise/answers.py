"""Whether an answer is right: by number where both are numbers, else by its words."""

import re

RANGE = re.compile(r"(.+?)\s*(?:\bto\b|–|\.\.)\s*(.+)")
THOUSANDS = re.compile(r"-?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")  # as the screens write large numbers


def is_right(given: str, answer: str) -> bool:
    """Whether what a student wrote is one of the teacher's answers, which semicolons part.

    Words count without regard to capitals, blanks and a full stop. A decimal number is right where
    it rounds to the answer's places, a whole one where it equals it; ``0.8 to 0.9`` is a range.
    """
    return bool(given.strip()) and any(_matches(given, part) for part in answer.split(";"))


def _matches(given: str, answer: str) -> bool:
    if not answer.strip():
        return False
    values, bounds = _numbers(given), RANGE.fullmatch(answer.strip())
    if bounds and values:
        low, high = _numbers(bounds[1]), _numbers(bounds[2])
        if low and high:
            return any(low[0] <= value <= high[0] for value in values)
    wanted = _numbers(answer)
    if wanted and values:
        near = 0.5 * 10.0 ** -_places(answer) if _places(answer) else 0.0
        return any(abs(value - wanted[0]) <= near + 1e-9 for value in values)
    return _words(given) == _words(answer)


def _places(text: str) -> int:
    """How many decimals a number is written with."""
    bare = _plain_number(text)
    return len(bare.partition(".")[2])


def _plain_number(text: str) -> str:
    """A number without a sign of percent, with a point before its decimals and nothing else."""
    bare = text.strip().removesuffix("%").strip().replace("−", "-")
    if THOUSANDS.fullmatch(bare):
        return bare.replace(",", "")
    return bare.replace(",", ".") if bare.count(",") == 1 else bare


def _numbers(text: str) -> list[float]:
    """A number as it is written, and for a percentage the share that it means; none for words."""
    try:
        value = float(_plain_number(text))
    except ValueError:
        return []
    return [value, value / 100] if text.strip().endswith("%") else [value]


def _words(text: str) -> str:
    return " ".join(text.casefold().strip().rstrip(".").split())

"""Where the app lies: beside the package in a checkout, inside it in a wheel."""

from pathlib import Path

LOGIN_VARIABLE = "SDSC_LOGIN"  # how `sdsc app --login` tells the screens
EXERCISE_KEY_VARIABLE = "SDSC_EXERCISE_KEY"  # likewise `sdsc app --exercise-key`
TOKEN_VARIABLE = "SDSC_STATUS_TOKEN"  # with it the status is told to other machines too


def home() -> Path:
    """The folder that holds app.py, pages, sample_data and .streamlit.

    >>> (home() / "app.py").is_file()
    True
    """
    package = Path(__file__).resolve().parents[1]
    inside = package / "_app"
    return inside if inside.is_dir() else package.parent

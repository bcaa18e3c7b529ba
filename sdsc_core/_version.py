"""The one place where the version stands; pyproject.toml and CITATION.cff follow it."""

__version__ = "0.2.0"

"""Everything that somebody did, in one file, for any machine; see `file`."""

from sdsc_core.session.file import (
    ENDING,
    Part,
    Session,
    read_session,
    read_settings_file,
    recognise,
    write_session,
)

__all__ = [
    "ENDING",
    "Part",
    "Session",
    "read_session",
    "read_settings_file",
    "recognise",
    "write_session",
]

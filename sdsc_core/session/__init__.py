"""Everything that somebody did, in one file, for any machine; see `file`."""

from sdsc_core.session.file import (
    ENDING,
    Part,
    Session,
    check_session,
    read_session,
    read_settings_file,
    recognise,
    write_session,
)

__all__ = [
    "ENDING",
    "Part",
    "Session",
    "check_session",
    "read_session",
    "read_settings_file",
    "recognise",
    "write_session",
]

"""``python -m sdsc_core.cli`` is ``sdsc``."""

import sys

from sdsc_core.cli.command import main

if __name__ == "__main__":
    sys.exit(main())

"""`python -m vizgrad train.py`: the entrance to `vizgrad.debugger.shell`."""

import sys


def main() -> int:
    """The exit status."""
    from vizgrad.debugger.shell.main import main as run

    return run(last=True)


if __name__ == "__main__":
    sys.exit(main())

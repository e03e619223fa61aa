"""Entry for ``python -m openclaw_cli``."""

from openclaw_cli.cli.main import main

if __name__ == "__main__":
    main()

"""`python -m softdock`: the commands, where no script is installed."""

from softdock.cli.main import main

if __name__ == "__main__":
    main()

"""The `bestbefore` command: its sub-commands, and how errors end them.

Exit codes: 0 done, 1 a claim or a cell failed, 2 bad input (one line on standard error), 130
interrupted.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from reports.cli.fit import fit
from reports.cli.ledger import ledger
from reports.cli.report import report
from reports.cli.run import run as run_command
from reports.cli.stream import stream
from reports.cli.sweep import sweep
from reports.cli.verify import verify
from theory.errors import BadInput


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="bestbefore")
def cli() -> None:
    """How long can a decision stay right? Prove it, simulate it, measure it."""


# Command modules import what they compute with inside the command, so that help is instant.
cli.add_command(fit)
cli.add_command(ledger)
cli.add_command(report)
cli.add_command(run_command)
cli.add_command(stream)
cli.add_command(sweep)
cli.add_command(verify)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    try:
        code = cli.main(
            list(arguments),
            prog_name="bestbefore",
            standalone_mode=False,
            obj=shlex.join(["bestbefore", *arguments]),  # for manifests
        )
    except BadInput as error:
        return _fail(str(error))
    except click.ClickException as error:
        return _fail(" ".join(error.format_message().split()))
    except (KeyboardInterrupt, click.Abort) as interrupt:
        # Click wraps an interrupt, whose own words say what was kept.
        told = str(interrupt.__cause__ or "") or "interrupted, nothing written"
        click.echo(f"bestbefore: {told}", err=True)
        return 130
    except BrokenPipeError:
        # The reader left; keep the interpreter from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _fail(f"{error.filename or 'file'}: {error.strerror or error}")
    return code if isinstance(code, int) else 0


def _fail(message: str) -> int:
    click.echo(f"bestbefore: {message}", err=True)
    return 2

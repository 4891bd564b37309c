"""`bestbefore ledger`: the live decision ledger, for shell scripts and agents.

Documents come in as JSON, one object or one a line, each line a transaction of its own: a line that
is refused is named on standard error and changes nothing, the others count, and the exit code is 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeAlias, TypeVar, cast

import click

from reports.cli.options import DURATION, PATH, common, print_json
from reports.json_lines import json_lines
from theory.errors import BadInput

if TYPE_CHECKING:
    from routers.fields import Json
    from routers.ledger import Ledger
    from routers.records import History, Record, Standing, Taken

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group()
def ledger() -> None:
    """Keep decisions open for news until their revision deadline."""


class _File(NamedTuple):
    """The ledger that a command is about."""

    db: Path
    now: str | None
    router: str | None
    k: int | None
    epoch: str | None
    encoder: str | None

    def connect(self) -> Ledger:
        """Open it, or begin it where there is none."""
        from routers import Ledger
        from routers.times import EPOCH, kind_of, read_time

        made_with: Any = {
            "router": self.router,
            "k": self.k,
            "epoch": self.epoch,
            "encoder": self.encoder,
        }
        if self.now is None:
            return Ledger(self.db, **made_with)
        time = _number_or_text(self.now)
        kind = kind_of(read_time("--now", time, EPOCH))
        live = Ledger(self.db, clock=lambda: time, **made_with)
        if live.times not in (None, kind):
            form = "hours" if live.times == "number" else "ISO 8601"
            live.disconnect()
            raise BadInput("--now", self.now, f"must be {form}, as this ledger's times are")
        return live

    def reopen(self) -> Ledger:
        """Open it where it is there."""
        if not self.db.exists():
            raise BadInput("--db", str(self.db), "must be a ledger that exists")
        return self.connect()


def _on_a_file(command: Command) -> Command:
    """The options of every command here, bundled."""

    @wraps(command)
    def bundled(
        *,
        db: Path,
        now: str | None,
        quiet: bool,
        seed: int,
        router: str | None = None,
        k: int | None = None,
        epoch: str | None = None,
        encoder: str | None = None,
        **others: object,
    ) -> object:
        del quiet, seed  # nothing here takes long, and nothing is left to chance
        return command(file=_File(db, now, router, k, epoch, encoder), **others)

    for decorate in (
        common,
        click.option("--now", metavar="TIME", help="What time it is, as the ledger writes times."),
        click.option("--db", type=PATH, required=True, metavar="FILE", help="The ledger's file."),
    ):
        bundled = decorate(bundled)
    return cast("Command", bundled)


def _made_where_there_is_none(command: Command) -> Command:
    """The options of the commands that begin a ledger."""
    for decorate in (
        click.option("--epoch", metavar="TIME", help="Where hours count from [default: 1970]."),
        click.option("-k", type=int, help="The most deliveries of one notice [default: 3]."),
        click.option(
            "--encoder", metavar="DIR|NAME", help="A dense router's [default: all-MiniLM-L6-v2]."
        ),
        click.option("--router", metavar="NAME", help="Routes the notices [default: bm25-text]."),
    ):
        command = decorate(command)
    return command


_reads_documents = click.argument("source", type=PATH, default="-", metavar="[INPUT]")


@ledger.command("open")
@_reads_documents
@_on_a_file
@_made_where_there_is_none
def open_entries(source: Path, file: _File, as_json: bool) -> int:
    """Record decisions; those recorded late receive what was published since."""
    opened: list[str] = []
    found = _Deliveries("entry", shown=not as_json)

    def record(live: Ledger, document: Json) -> None:
        taken = live.open_many([document])
        if not taken.ignored:
            opened.append(document["id"])
            found.say("-", document["id"], "recorded")
        found.add(taken)

    code = _each_document(source, file.connect, record)
    if as_json:
        print_json({"opened": opened, **found.to_json()})
    return code


@ledger.command()
@_reads_documents
@_on_a_file
@_made_where_there_is_none
def publish(source: Path, file: _File, as_json: bool) -> int:
    """Publish notices and show which entries each was routed to."""
    found = _Deliveries("notice", shown=not as_json)

    def route(live: Ledger, document: Json) -> None:
        taken = live.publish_many([document])
        if not taken.deliveries and not taken.ignored:
            found.say(document["id"], "-", "reaches no open entry")
        found.add(taken)

    code = _each_document(source, file.connect, route)
    if as_json:
        print_json(found.to_json())
    return code


@ledger.command()
@_reads_documents
@_on_a_file
def decide(source: Path, file: _File, as_json: bool) -> int:
    """Give open entries their verdicts: {"entry": ID, "choice": "keep" or "switch", ...}."""
    records: list[Record] = []

    def answer(live: Ledger, document: Json) -> None:
        entry, verdict = _verdict(document)
        records.append(live.decide(entry, verdict))

    code = _each_document(source, file.reopen, answer)
    _show_settled(records, as_json=as_json)
    return code


@ledger.command()
@click.argument("entries", nargs=-1, required=True, metavar="ID...")
@_on_a_file
def confirm(entries: Sequence[str], file: _File, as_json: bool) -> int:
    """Give a person's word to switches that wait for it."""
    return _each_entry(entries, lambda live, entry: live.confirm(entry), file, as_json=as_json)


@ledger.command()
@click.argument("entries", nargs=-1, required=True, metavar="ID...")
@_on_a_file
def close(entries: Sequence[str], file: _File, as_json: bool) -> int:
    """Withdraw entries: no more news reaches them."""
    return _each_entry(entries, lambda live, entry: live.close(entry), file, as_json=as_json)


@ledger.command()
@click.option(
    "--within", type=DURATION, default="1h", show_default=True, help="How far ahead to look."
)
@_on_a_file
def due(within: float, file: _File, as_json: bool) -> None:
    """List the open entries whose deadline is near, with what they received."""
    with file.reopen() as live:
        found = [live.history(record.entry.id) for record in live.due(within=within)]
    if as_json:
        print_json([history.to_json() for history in found])
        return
    rows: list[_Row] = []
    for record, received in found:
        rows.append((record.entry.id, _deadline(record), len(received), record.entry.text))
        rows += [
            ("", notice.to_json()["published"], notice.id, notice.text) for notice, _ in received
        ]
    _print_table(("entry", "deadline", "notices", "text"), rows)


@ledger.command("list")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice(["open", "waiting", "decided", "expired", "closed"]),
    help="Only these; repeatable.",
)
@_on_a_file
def list_entries(states: Sequence[Standing], file: _File, as_json: bool) -> None:
    """List the entries and how they stand."""
    with file.reopen() as live:
        records = live.records(*states)
    if as_json:
        print_json([record.to_json() for record in records])
        return
    _print_table(
        ("entry", "state", "outcome", "deadline", "notices", "text"),
        [
            (it.entry.id, it.state, it.outcome or "-", _deadline(it), it.received, it.entry.text)
            for it in records
        ],
    )


@ledger.command()
@click.argument("entry", metavar="ID")
@_on_a_file
def show(entry: str, file: _File, as_json: bool) -> None:
    """Show an entry, what became of it and the notices it received."""
    with file.reopen() as live:
        history = live.history(entry)
    if as_json:
        print_json(history.to_json())
        return
    _print_table(("field", "value"), _story(history))
    _print_table(
        ("notice", "published", "score", "text"),
        [
            (notice.id, notice.to_json()["published"], f"{score:g}", notice.text)
            for notice, score in history.received
        ],
    )


def _story(history: History) -> Iterator[_Row]:
    """An entry's fields and what happened to it, a line each."""
    record = history.record
    for name, value in record.entry.to_json().items():
        for each in value if isinstance(value, list) else [value]:
            yield name, each
    for name, value in record.verdict.to_json().items() if record.verdict else ():
        yield f"verdict: {name}", value
    yield from record.events
    yield "state", record.state
    yield "outcome", record.outcome or "-"


def _number_or_text(now: str) -> float | str:
    try:
        return float(now)
    except ValueError:
        return now


def _each_document(
    source: Path, connect: Callable[[], Ledger], act: Callable[[Ledger, Json], None]
) -> int:
    """Act on each document of a file or of standard input; returns the exit code."""
    name = "standard input" if str(source) == "-" else str(source)
    code = 0
    with click.open_file(str(source), "rb") as stream, connect() as live:
        try:
            for number, line in json_lines(cast("BinaryIO", stream)):
                try:
                    act(live, _document(line))
                except BadInput as error:
                    click.echo(f"bestbefore: {error.at(name, number)}", err=True)
                    code = 2
                    if error.field == "db":  # the ledger itself fails: so would every other line
                        break
        except KeyboardInterrupt:
            click.echo("bestbefore: interrupted; what was shown is kept", err=True)
            code = 130
    return code


def _each_entry(
    entries: Iterable[str],
    settle: Callable[[Ledger, str], Record],
    file: _File,
    *,
    as_json: bool,
) -> int:
    records, code = [], 0
    with file.reopen() as live:
        for entry in entries:
            try:
                records.append(settle(live, entry))
            except BadInput as error:
                click.echo(f"bestbefore: {error}", err=True)
                code = 2
    _show_settled(records, as_json=as_json)
    return code


def _document(line: bytes) -> Json:
    from routers.fields import loads

    try:
        return loads(line.strip().decode())
    except UnicodeDecodeError as error:
        raise BadInput("document", line, f"must be UTF-8 ({error.reason})") from error


def _verdict(document: Json) -> tuple[str, Json]:
    if "entry" not in document:
        raise BadInput("entry", None, "must be given: the id of the entry")
    return document["entry"], {name: it for name, it in document.items() if name != "entry"}


class _Deliveries:
    """What came of documents: shown line by line as they come, or kept for one JSON document."""

    def __init__(self, subject: str, *, shown: bool) -> None:
        self.subject = subject
        self.shown = shown
        self.deliveries: list[Json] = []
        self.ignored: list[Json] = []
        self._lines = 0

    def add(self, taken: Taken) -> None:
        for made in taken.deliveries:
            self.deliveries.append(made.to_json())
            self.say(made.notice, made.entry, f"{made.score:g}")
        for name, why in taken.ignored:
            self.ignored.append({self.subject: name, "why": why})
            notice, entry = (name, "-") if self.subject == "notice" else ("-", name)
            self.say(notice, entry, f"ignored: {why}")

    def say(self, notice: str, entry: str, score: str) -> None:
        if self.shown:
            if not self._lines:
                click.echo(f"{'notice':16}  {'entry':16}  score")
            self._lines += 1
            click.echo(f"{notice:16}  {entry:16}  {score}")

    def to_json(self) -> Json:
        return {"deliveries": self.deliveries, "ignored": self.ignored}


def _show_settled(records: Sequence[Record], *, as_json: bool) -> None:
    rows = [(it.entry.id, it.state, it.outcome) for it in records]
    if as_json:
        print_json([{"entry": it[0], "state": it[1], "outcome": it[2]} for it in rows])
    else:
        _print_table(("entry", "state", "outcome"), [(*it[:2], it[2] or "-") for it in rows])


def _deadline(record: Record) -> object:
    return record.entry.to_json()["deadline"]


def _print_table(header: _Row, rows: Iterable[_Row]) -> None:
    """Columns as wide as they need to be, the last one cut; nothing at all without rows."""
    lines = [[_plain(cell) for cell in row] for row in rows]
    if not lines:
        return
    table = [[str(cell) for cell in header], *lines]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)][:-1]
    for *cells, last in table:
        padded = (f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True))
        click.echo("  ".join([*padded, last]).rstrip())


def _plain(cell: object) -> str:
    """A cell on one line, short, without what could steer or turn round the terminal's line."""
    text = f"{cell:.15g}" if isinstance(cell, float) else str(cell)
    shown = "".join(it for it in " ".join(text.split()) if it.isprintable())
    return shown if len(shown) <= _WIDEST else f"{shown[: _WIDEST - 3]}..."


_WIDEST = 60

_Row: TypeAlias = Sequence[object]

"""A fit as one JSON document, and read back from one: what `fit --json` prints and pages show."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, NoReturn, TypeAlias, TypeVar, get_args

from reports.times import TimeKind, show_time
from theory.errors import BadInput
from theory.estimate import (
    AgeBin,
    Constancy,
    Dropped,
    Estimate,
    Fit,
    GapCeiling,
    Significance,
    Span,
)
from theory.estimate.rate import CONFIDENCE

Word = TypeVar("Word", bound=str)
LogKind: TypeAlias = Literal["change times", "outages", "spells"]
LOG_KINDS: tuple[LogKind, ...] = get_args(LogKind)


@dataclass(frozen=True)
class Source:
    """Where a fit's changes come from."""

    file: str
    """The log's name, without its folder."""
    sha256: str
    """Of its bytes."""
    kind: LogKind
    """What its rows tell."""
    columns: Mapping[str, str]
    """The columns read: `start` and `end`, or `time`; and `fact`, if there was one."""
    where: tuple[str, ...]
    """The conditions that rows had to meet."""
    rows: int
    """Rows of the file."""
    left_out: int
    """Those that did not meet the conditions."""
    times: TimeKind
    """How the log writes its times."""


@dataclass(frozen=True)
class SavedFit:
    """A fit and where it comes from."""

    fit: Fit
    """Rates, tests and the hazard by age."""
    ceilings: tuple[GapCeiling, ...]
    """The ceiling of the pooled rate by gap; empty where that is null."""
    source: Source
    """The log."""
    seed: int
    """Of the draws that the test of likeness may make."""
    version: str
    """Of this package."""


def fit_document(saved: SavedFit) -> dict[str, object]:
    """The document, ready for JSON; per hour, the pooled estimate at the top."""
    fit, source = saved.fit, asdict(saved.source)
    times, left_out = saved.source.times, source.pop("left_out")
    source.pop("times")
    return {
        **_estimate(fit.pooled),
        "confidence": CONFIDENCE,
        "ceilings": [asdict(ceiling) for ceiling in saved.ceilings],
        "ages": [asdict(age) for age in fit.ages],
        "alike": asdict(fit.alike),
        "facts": [{"fact": fact.fact, **_estimate(fact)} for fact in fit.facts],
        "resolution": fit.resolution,
        "span": {
            **fit.span._asdict(),
            "from": show_time(fit.span.start, times),
            "to": show_time(fit.span.end, times),
            "times": times.value,
        },
        "dropped": {"where": left_out, **fit.dropped._asdict()},
        "source": source,
        "seed": saved.seed,
        "version": saved.version,
    }


def read_fit(path: Path) -> SavedFit:
    """Read a document that `fit_document` made; a `BadInput` names the file and the field.

    Fields that it does not know are passed over.
    """
    document = _Field.of_file(path)
    source, span, dropped = (document.at(name) for name in ("source", "span", "dropped"))
    columns = source.at("columns")
    return SavedFit(
        fit=Fit(
            pooled=_read_estimate(document, None),
            facts=tuple(
                _read_estimate(f, f.at("fact").text()) for f in document.at("facts").each()
            ),
            alike=_read_test(document.at("alike")),
            ages=tuple(_read_age(age) for age in document.at("ages").each()),
            resolution=document.at("resolution").maybe(0.0),
            span=Span(span.at("start").number(), span.at("end").number()),
            dropped=Dropped(*(dropped.at(name).count() for name in Dropped._fields)),
        ),
        ceilings=tuple(_read_ceiling(ceiling) for ceiling in document.at("ceilings").each()),
        source=Source(
            file=source.at("file").text(),
            sha256=source.at("sha256").text(),
            kind=source.at("kind").one_of(LOG_KINDS),
            columns={name: columns.at(name).text() for name in columns.names()},
            where=tuple(condition.text() for condition in source.at("where").each()),
            rows=source.at("rows").count(),
            left_out=dropped.at("where").count(),
            times=TimeKind(span.at("times").one_of(list(TimeKind))),
        ),
        seed=document.at("seed").count(),
        version=document.at("version").text(),
    )


def _estimate(estimate: Estimate) -> dict[str, object]:
    return {
        "rate": estimate.rate,
        "low": estimate.low,
        "high": estimate.high,
        "changes": estimate.changes,
        "exposure": estimate.exposure,
        "tests": {name: asdict(test) for name, test in estimate.tests._asdict().items()},
    }


@dataclass(frozen=True)
class _Field:
    """A value of the document and its place, such as `facts[3].rate`."""

    file: Path
    place: str
    value: object

    @classmethod
    def of_file(cls, path: Path) -> _Field:
        try:
            return cls(path, "", json.loads(path.read_bytes()))
        except OSError as error:
            raise BadInput("--fit", str(path), f"could not be read: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            line = error.lineno if isinstance(error, json.JSONDecodeError) else None
            raise BadInput("--fit", path.name, f"must be JSON: {error}").at(path, line) from error

    def at(self, name: str) -> _Field:
        place = f"{self.place}.{name}".lstrip(".")
        if not isinstance(self.value, dict):
            self.refuse("must be an object")
        if name not in self.value:
            raise BadInput(place, "", "must be there").at(self.file)
        return _Field(self.file, place, self.value[name])

    def names(self) -> list[str]:
        return (
            list(self.value) if isinstance(self.value, dict) else self.refuse("must be an object")
        )

    def each(self) -> list[_Field]:
        if not isinstance(self.value, list):
            self.refuse("must be a list")
        return [_Field(self.file, f"{self.place}[{i}]", item) for i, item in enumerate(self.value)]

    def number(self, low: float = -math.inf, high: float = math.inf) -> float:
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse("must be a number")
        if not (abs(value) < 1e300 and low <= value <= high):  # NaN fails too
            bounds = f" between {low:g} and {high:g}" if math.isfinite(low) else ""
            self.refuse(f"must be a finite number{bounds}")
        return float(value)

    def maybe(self, low: float = -math.inf, high: float = math.inf) -> float | None:
        return None if self.value is None else self.number(low, high)

    def count(self) -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value < 0:
            self.refuse("must be a whole number >= 0")
        return self.value

    def text(self) -> str:
        return self.value if isinstance(self.value, str) else self.refuse("must be text")

    def one_of(self, values: Sequence[Word]) -> Word:
        found = [value for value in values if value == self.value]
        return found[0] if found else self.refuse(f"must be one of {', '.join(values)}")

    def refuse(self, rule: str) -> NoReturn:
        raise BadInput(self.place or "document", self.value, rule).at(self.file)


def _read_rate(field: _Field) -> tuple[int, float, float | None, float | None, float | None]:
    changes, exposure = field.at("changes").count(), field.at("exposure").number(0.0)
    rate = field.at("rate").maybe(0.0)
    if rate is None:
        return changes, exposure, None, None, None
    low, high = field.at("low").number(0.0, rate), field.at("high").number(rate)
    return changes, exposure, rate, low, high


def _read_estimate(field: _Field, fact: str | None) -> Estimate:
    tests = field.at("tests")
    read = Constancy(*(_read_test(tests.at(name)) for name in Constancy._fields))
    return Estimate(*_read_rate(field), read, fact)


def _read_test(field: _Field) -> Significance:
    p_value = field.at("p_value").maybe(0.0, 1.0)
    if p_value is None:
        return Significance(None, None, field.at("reason").text())
    return Significance(field.at("statistic").number(), p_value)


def _read_age(field: _Field) -> AgeBin:
    start = field.at("start").number(0.0)
    return AgeBin(*_read_rate(field), start, field.at("end").maybe(start))


def _read_ceiling(field: _Field) -> GapCeiling:
    gap, low = field.at("gap").number(0.0), field.at("low").number(0.0, 1.0)
    middle = field.at("ceiling").number(low, 1.0)
    return GapCeiling(gap, middle, low, field.at("high").number(middle, 1.0))

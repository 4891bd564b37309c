"""From results to HTML."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import jinja2
import polars as pl
from markupsafe import Markup

from reports.page.ceiling import ceiling_section
from reports.page.claims import claim_view
from reports.page.compared import compared_section
from reports.page.contents import Contents
from reports.page.factorisation import factorisation_section
from reports.page.figure import Section
from reports.page.hazards import hazards_section
from reports.page.lede import lede
from reports.page.natural import natural_section
from reports.page.numbers import seconds
from reports.page.provenance import Provenance
from reports.page.reference import reference_section
from reports.page.risk_split import risk_split_section
from reports.page.runs import run_sections
from reports.page.story import StorySection, story_section
from reports.reference import read_reference

_HERE = Path(__file__).parent
_TITLE = "Fresh at decision, stale at action"


def render(contents: Contents, provenance: Provenance, advance: Callable[[int], object]) -> str:
    """The whole document, as `build_page` says."""
    sections = []
    for section in _sections(contents):
        sections.append(section)
        advance(1)
    template = _templates().get_template("page.html.j2")
    return template.render(
        title=_TITLE,
        style=Markup(_read("page.css")),
        lede=lede(contents.verifications),
        claims=[claim_view(verification) for verification in contents.verifications],
        sections=sections,
        provenance=list(_provenance_rows(contents, provenance)),
        specifications=_specifications(sections),
        script=_script(),
        stories=_stories(contents),
        no_stories=contents.stories if isinstance(contents.stories, str) else None,
    )


def _stories(contents: Contents) -> StorySection | None:
    if contents.stories is None or isinstance(contents.stories, str):
        return None
    macro = _templates().get_template("story.html.j2").module.story  # type: ignore[attr-defined]
    return story_section(contents.stories, lambda view: str(macro(view)))


def _sections(contents: Contents) -> Iterator[Section]:
    """What comes between the claims and the provenance, drawn one by one."""
    found = {verification.claim.id: verification for verification in contents.verifications}
    yield ceiling_section(found.get("freshness-ceiling"), contents.sweep)
    yield natural_section(contents.natural)
    yield risk_split_section(found.get("risk-split"))
    yield factorisation_section(found.get("factorisation"))
    yield reference_section(read_reference())
    if contents.compared is not None:
        yield compared_section(*contents.compared)
    for number, saved in enumerate(contents.runs, start=1):
        yield from run_sections(saved, number)
    yield hazards_section(contents.fit)


def _provenance_rows(contents: Contents, provenance: Provenance) -> Iterator[tuple[str, str, bool]]:
    """Name, value, and whether it differs from run to run."""
    yield "command", provenance.command, False
    yield "seed", str(provenance.seed), False
    versions = ", ".join(f"{name} {number}" for name, number in provenance.versions.items())
    yield "versions", versions, False
    yield "platform", provenance.platform, False
    for name, digest in provenance.hashes.items():
        yield name, f"SHA-256 {digest}", False
    for found in contents.verifications:
        for experiment, outcome in found.played:
            where = ", in episodes" if experiment.episodes else ""
            yield f"data of {found.claim.id}{where}", f"SHA-256 {_frame_hash(outcome.cells)}", False
    for saved in contents.every_run:
        name = f"the run {saved.name}"
        for made in saved.manifest["commands"]:
            yield f"{name}: command", made["command"], False
        for told in saved.manifest["streams"]:
            files = ", ".join(f"{file} SHA-256 {digest}" for file, digest in told["sha256"].items())
            yield f"{name}: {told['stream']}, seed {told['seed']}", files, False
        yield f"{name}: decisions", f"SHA-256 {_frame_hash(saved.run.decisions)}", False
    if contents.fit is not None:
        source = contents.fit.saved.source
        yield f"data of {source.file}", f"SHA-256 {source.sha256}", False
    yield "wall time", f"{seconds(provenance.seconds)} for the results", True
    yield "written", f"{provenance.written:%Y-%m-%d %H:%M} UTC", True


def _specifications(sections: Sequence[Section]) -> str:
    """Every chart's Vega specification, by the identifier that its place on the page names.

    As JSON, deflated, in base 64: charts say much alike, and packed together take a tenth.
    """
    found = {
        f"{figure.id}-{number}": drawing.vega
        for section in sections
        for figure in section.figures
        for number, drawing in enumerate(figure.drawings, start=1)
    }
    text = json.dumps(found, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(zlib.compress(text.encode(), level=9)).decode()


def _frame_hash(frame: pl.DataFrame) -> str:
    """SHA-256 of a frame's names and values: equal for equal results, whatever computed them."""
    return hashlib.sha256(frame.write_csv().encode()).hexdigest()


@cache
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


@cache
def _script() -> Markup:
    """Vega-Embed and our own script, bundled.

    Vega alone would be smaller, but the bundler leaves its namespace empty (vl-convert 1.9).
    """
    import vl_convert

    bundle = vl_convert.javascript_bundle(_read("hydrate.js"))
    return Markup(bundle.replace("</script", "<\\/script"))


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")

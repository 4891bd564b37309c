"""LaTeX to MathML, which browsers set and screen readers speak without any script."""

from __future__ import annotations

from functools import cache
from html import unescape
from itertools import pairwise
from xml.etree.ElementTree import Element, tostring

from markupsafe import Markup

from theory.errors import BadInput

_PRIMES = {"′", "″", "‴"}
_OPENING, _CLOSING = {"(", "[", "{"}, {")", "]", "}"}
_BREAKS = {"=", "≤", "<", "≥", ">", "⇒", "⇔", "+"}


@cache
def mathml(latex: str) -> Markup:
    """The formula as inline MathML."""
    return _written(_element(latex))


@cache
def breakable_mathml(latex: str) -> Markup:
    """The formula in pieces that may stand below each other, as browsers break no formula.

    It may be broken where a mathematician would: before a relation, a sum's sign or wide space that
    no bracket holds.
    """
    root = _element(latex)
    pieces, depth = [Element("mrow")], 0
    for element in root[0]:
        depth += (element.text in _OPENING) - (element.text in _CLOSING)
        if depth == 0 and element.text in _BREAKS and len(pieces[-1]):
            # At the start of a row an operator would be taken for a sign.
            element.set("form", "infix")
            pieces.append(Element("mrow"))
        pieces[-1].append(element)
        if depth == 0 and element.tag == "mspace":
            pieces.append(Element("mrow"))
    return Markup("").join(_written(_row(piece)) for piece in pieces)


def _element(latex: str) -> Element:
    """The `math` element, its only child a row."""
    from latex2mathml.converter import convert_to_element

    root = convert_to_element(latex)
    for element in root.iter():
        # The converter leaves character references for whoever writes the element out.
        element.text = unescape(element.text or "")
    if "\\" in "".join(root.itertext()):
        raise BadInput("formula", latex, "must use only commands that MathML has an element for")
    for element in list(root.iter()):
        if element.tag == "mtext" and (element.text or "").strip():
            # Text counts as space, which would take an operator's own space away.
            element.tag = "mi"
        _set_primes(element)
        _bind_signs(element)
    return root


def _row(row: Element) -> Element:
    root = Element("math")
    root.append(row)
    return root


def _written(root: Element) -> Markup:
    for attribute in ("xmlns", "display"):  # neither is needed within HTML
        root.attrib.pop(attribute, None)
    return Markup(tostring(root, encoding="unicode"))


def _set_primes(element: Element) -> None:
    """A prime stands beside its letter: as a superscript most fonts set it too high and small."""
    if element.tag == "msup" and element[1].text in _PRIMES:
        element.tag = "mrow"
        element[1].tag = "mo"
        element[1].attrib.update(lspace="0", rspace="0")


def _bind_signs(element: Element) -> None:
    """A minus after another operator belongs to what follows it, so no space comes between."""
    for before, sign in pairwise(element):
        after_operator = before.tag == "mo" and before.text not in _CLOSING
        if sign.tag == "mo" and sign.text == "−" and after_operator:
            sign.set("form", "prefix")

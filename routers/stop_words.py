"""English words so common that they say nothing of what a text is about."""

from __future__ import annotations

from routers.tokens import tokens

STOP_WORDS = frozenset(
    tokens("""
    a an the this that these those
    i you he she it we they me him her us them my your his its our their
    and or but if not no nor so than then as because while
    at by for from in into of off on onto out over to under up upon with without
    am is are was were be been being do does did has have had having
    can could may might must shall should will would
    there here when where which who whom whose what why how
    """)
)
"""As tokens. BM25 keeps them unless told otherwise: they weigh next to nothing already."""

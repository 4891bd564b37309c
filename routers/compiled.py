"""Loops compiled by numba; to be imported only where that is at hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile at the first call and keep the result on disk, where there is a place for it."""
    try:
        return cast(Function, njit(error_model="numpy", cache=True)(function))
    except RuntimeError:  # neither the package's folder nor the user's can be written to
        return cast(Function, njit(error_model="numpy")(function))

"""What calls cost, from the table that `genai-prices` carries; nothing is fetched."""

from __future__ import annotations

from functools import lru_cache

from llm.calls.answer import Usage
from llm.calls.model_name import ModelName


def cost_of(name: ModelName, usage: Usage, reported: str | None = None) -> float | None:
    """US dollars of so many tokens; None, not 0, where price or tokens are unknown.

    The model is looked up as its server reports it, else by its own name.
    """
    if usage.input is None or usage.output is None:
        return None
    for model in dict.fromkeys(filter(None, (reported, name.model))):
        cost = _cost(name.provider, model, usage)
        if cost is not None:
            return cost
    return None


@lru_cache(maxsize=4_096)
def _cost(provider: str, model: str, usage: Usage) -> float | None:
    import genai_prices

    read = usage.input or 0
    tokens = genai_prices.Usage(
        input_tokens=read,
        output_tokens=usage.output,
        cache_read_tokens=min(usage.cached or 0, read),
    )
    try:
        price = genai_prices.calc_price(tokens, model, provider_id=provider)
    except (LookupError, ValueError):
        return None
    return float(price.total_price)

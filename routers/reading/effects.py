"""Whether a notice says that something stops: closures and their like, against reassurances."""

from __future__ import annotations

import re

_STOPS = re.compile(
    r"\b(?:clos(?:e[sd]?|ing|ures?)|shut(?:s|ting|down)?"
    r"|(?:out of|off|no|not in) (?:service|use|order|action|operation|reach|limits|power|access)"
    r"|(?:taken|go(?:es|ing)?) (?:out|off)|offline|unavailable|unusable|inaccessible|impassable"
    r"|suspend(?:s|ed)?|cancel(?:s|led)?|halt(?:s|ed)?|standstill|idle|barred|blocked|sealed|evacuated"
    r"|no longer|withdraw(?:s|n)?|turn(?:s|ed)? away|drop(?:s|ped)?|void|collapsed|destroyed"
    r"|(?:not|cannot|unable to) (?:be )?(?:open|operat\w*|run(?:ning)?|work(?:ing)?|serv\w*"
    r"|avail\w*|usable|used|deliver\w*|honou?r|reached|crossed|entered))\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\b(?:as usual|as normal|as planned|unaffected|without interruption|continues?|normal service"
    r"|(?:stay|remain|keep)(?:s|ing)? (?:\w+ )?(?:open|available|running|working|operating"
    r"|(?:full |normal )?(?:service|use))|not (?:be )?(?:affect\w*|clos\w+|shut|interrupt\w*))\b",
    re.IGNORECASE,
)


def blocks(text: str) -> bool:
    """Whether the text says that something stops or cannot be used, and not that it goes on."""
    return _STOPS.search(text) is not None and _GOES_ON.search(text) is None

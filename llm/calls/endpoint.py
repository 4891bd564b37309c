"""Where a model is reached, and with which key: from environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from llm.calls.model_name import ModelName
from llm.calls.secrets import Secret
from theory.errors import BadInput

HOSTS: Mapping[str, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "deepseek": "https://api.deepseek.com/v1",
    "groq": "https://api.groq.com/openai/v1",
    "mistral": "https://api.mistral.ai/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "together": "https://api.together.xyz/v1",
    "llamacpp": "http://127.0.0.1:8080/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "vllm": "http://127.0.0.1:8000/v1",
}
"""Base URLs of providers that need not be told; `<NAME>_BASE_URL` goes before them."""
LOCAL = "local"
"""The provider of models in files: `local/PATH.gguf`."""
NO_KEY = "none"
"""What servers that ask for no key are sent: the SDKs do not go without."""


@dataclass(frozen=True)
class Endpoint:
    """A base URL and the key for it."""

    url: str
    key: Secret

    @property
    def shown(self) -> str:
        """The URL for messages, without what may be a key in it."""
        parts = urlsplit(self.url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        port = "" if parts.port is None else f":{parts.port}"
        return f"{parts.scheme}://{host}{port}{parts.path}"


def endpoint_of(name: ModelName, environ: Mapping[str, str]) -> Endpoint:
    """The endpoint of a model.

    A host on the internet that this module knows needs its key; a URL of the user's own may do
    without.
    """
    if name.provider == LOCAL:
        if not Path(name.model).is_file():
            raise BadInput("model", str(name), "must be local/PATH of a GGUF file that exists")
        return Endpoint("http://127.0.0.1", Secret(NO_KEY))  # its server finds a port for itself
    url_name, key_name = f"{name.variable}_BASE_URL", f"{name.variable}_API_KEY"
    given = environ.get(url_name, "").strip()
    url = given or HOSTS.get(name.provider, "")
    if not url:
        raise BadInput(
            "model",
            str(name),
            f"is served at no URL that is known: set {url_name} (and {key_name})",
        )
    _check_url(url, url_name)
    key = environ.get(key_name, "").strip()
    if not key and not given and url.startswith("https:"):
        raise BadInput("model", str(name), f"needs a key: set {key_name}")
    if not (key.isascii() and key.isprintable()):
        raise BadInput(key_name, "***", "must be one line of ASCII characters")
    return Endpoint(url, Secret(key or NO_KEY))


def _check_url(url: str, name: str) -> None:
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        whole = False
    if not whole:
        # The URL itself is not shown: it may hold a password.
        raise BadInput(name, "...", "must be a URL that begins with http:// or https://")

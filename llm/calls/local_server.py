"""Serves a model in a GGUF file on a free port of this machine: `python -m llm.calls.local_server`.

It prints its URL once it answers, and ends when its standard input does: so it ends with whoever
started it, however that ends. It runs in a process of its own since what fails in it, fails hard.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Serve the file that is named first, until standard input ends."""
    import xllamacpp

    path = Path(sys.argv[1])
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.model_alias = {path.name}  # what it reports, rather than where the file lies
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = 0  # as long as the model was trained for
    # One answer at a time and no cache of prompts: else answers at temperature 0 vary.
    parameters.n_parallel = 1
    parameters.cache_prompt = False
    parameters.ui = False
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)  # noqa: T201 (the protocol with its starter)
    sys.stdin.read()
    os._exit(0)  # whatever its threads are doing


if __name__ == "__main__":
    main()

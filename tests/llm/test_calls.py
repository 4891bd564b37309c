"""The small parts of calls: names, endpoints, keys, waits, prices, limits, what is refused."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from asking import request
from hypothesis import given
from hypothesis import strategies as st

from llm.calls import Caller, Limits, ModelName, Retry, Usage
from llm.calls.endpoint import endpoint_of
from llm.calls.limits import Reached, Spending
from llm.calls.prices import cost_of
from llm.calls.secrets import Redactor, Secret
from llm.calls.takes import refused_parameters
from theory import BadInput


@pytest.mark.parametrize(
    ("text", "provider", "model"),
    [
        ("openai/gpt-5.1", "openai", "gpt-5.1"),
        ("OpenAI:gpt-5.1", "openai", "gpt-5.1"),
        ("ollama:qwen3:8b", "ollama", "qwen3:8b"),
        ("together/meta-llama/Llama-3", "together", "meta-llama/Llama-3"),
        ("my-host/x", "my-host", "x"),
    ],
)
def test_names_are_a_provider_and_its_model(text, provider, model):
    name = ModelName.read(text)
    assert name == (provider, model)
    assert str(name) == f"{provider}/{model}"


@pytest.mark.parametrize("text", ["", "gpt-5.1", "/x", "openai/", "open ai/x", "a/b c", "a/b\x1b"])
def test_other_names_are_refused(text):
    with pytest.raises(BadInput, match="must be provider/model, such as openai/"):
        ModelName.read(text)


def test_an_endpoint_is_read_from_the_provider_s_variables():
    environ = {"MY_HOST_BASE_URL": "http://h:8000/v1", "MY_HOST_API_KEY": " k "}
    endpoint = endpoint_of(ModelName("my-host", "x"), environ)
    assert (endpoint.url, endpoint.key.reveal()) == ("http://h:8000/v1", "k")


def test_hosts_on_the_internet_need_their_key_and_one_s_own_do_not():
    with pytest.raises(BadInput, match="needs a key: set OPENAI_API_KEY"):
        endpoint_of(ModelName("openai", "x"), {})
    assert endpoint_of(ModelName("openai", "x"), {"OPENAI_API_KEY": "k"}).url.startswith("https:")
    assert endpoint_of(ModelName("openai", "x"), {"OPENAI_BASE_URL": "http://h/v1"})
    assert endpoint_of(ModelName("ollama", "x"), {}).url == "http://127.0.0.1:11434/v1"


def test_a_provider_that_nobody_knows_is_refused_with_what_to_set():
    with pytest.raises(BadInput, match="set NOWHERE_BASE_URL"):
        endpoint_of(ModelName("nowhere", "x"), {})


@pytest.mark.parametrize(
    "url", ["localhost:8000", "ftp://h/v1", "http:/h/v1", "http://[::1/v1", "h"]
)
def test_a_url_that_is_none_is_refused_and_not_shown(url):
    with pytest.raises(BadInput) as error:
        endpoint_of(ModelName("my", "x"), {"MY_BASE_URL": url})
    assert "MY_BASE_URL" in str(error.value)
    assert f"(={url})" not in str(error.value)


def test_a_key_that_cannot_be_sent_is_refused_and_not_shown():
    with pytest.raises(BadInput) as error:
        endpoint_of(ModelName("my", "x"), {"MY_BASE_URL": "http://h", "MY_API_KEY": "a\nb"})
    assert str(error.value).startswith("MY_API_KEY(=***)")


def test_a_url_is_shown_without_user_password_and_query():
    environ = {"MY_BASE_URL": "https://me:pw@h:8443/v1?api_key=k"}
    assert endpoint_of(ModelName("my", "x"), environ).shown == "https://h:8443/v1"


def test_secrets_do_not_show_themselves():
    secret = Secret("sk-12345678")
    assert "1234" not in f"{secret!r} {secret} {secret!s}"
    assert secret.reveal() == "sk-12345678"


@given(before=st.text(), key=st.text(min_size=8), after=st.text())
def test_a_redactor_leaves_nothing_of_a_key(before, key, after):
    cleaned = Redactor([key]).clean(before + key + after)
    assert key not in cleaned or key in "***"
    assert cleaned != before + key + after


def test_a_redactor_knows_every_variable_that_is_named_like_a_key():
    environ = {"MY_API_KEY": "sk-12345678", "AUTH_TOKEN": "tok-12345678", "HOME": "/home/someone"}
    redactor = Redactor.of(environ, Secret("given-123456"))
    assert redactor.clean("sk-12345678 tok-12345678 /home/someone given-123456") == (
        "*** *** /home/someone ***"
    )
    assert Redactor.of({"MY_API_KEY": "none"}).clean("none of it") == "none of it"


waits = st.none() | st.floats(0, 30)


@given(asked=st.lists(waits, min_size=8, max_size=8), draw=st.floats(0, 1, exclude_max=True))
def test_waits_are_bounded_in_number_and_in_sum_and_never_earlier_than_asked(asked, draw):
    retry, waited, retried = Retry(), 0.0, 0
    for server in asked:
        wait = retry.wait(retried, waited=waited, asked=server, draw=draw)
        if wait is None:
            break
        assert wait >= 0
        assert server is None or wait >= server
        waited, retried = waited + wait, retried + 1
    assert retried <= 3
    assert waited <= 10 + 1e-9


@given(draw=st.floats(0, 1, exclude_max=True))
def test_backoff_doubles_and_half_of_it_is_jitter(draw):
    found = [Retry().wait(n, waited=0, asked=None, draw=draw) for n in range(3)]
    assert all(0.25 * 2**n <= wait <= 0.5 * 2**n for n, wait in enumerate(found))
    assert found[1] == 2 * found[0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Retry(retries=-1),
        lambda: Retry(failures=0),
        lambda: Limits(calls=-1),
        lambda: Limits(budget=-1.0),
        lambda: Limits(budget=float("nan")),
        lambda: Caller(at_once=0),
        lambda: Caller(timeout=0),
    ],
)
def test_options_out_of_range_are_refused(make):
    with pytest.raises(BadInput):
        make()


def test_known_prices_are_worked_out_and_unknown_ones_are_unknown():
    usage = Usage(input=1_000_000, output=1_000_000)
    whole = cost_of(ModelName("openai", "gpt-4.1"), usage)
    assert whole > 1
    cached = Usage(input=1_000_000, output=1_000_000, cached=900_000)
    assert cost_of(ModelName("openai", "gpt-4.1"), cached) < whole
    assert cost_of(ModelName("openai", "gpt-4.1"), Usage(input=5)) is None
    assert cost_of(ModelName("openai", "gpt-nonesuch"), usage) is None
    assert cost_of(ModelName("stub", "tiny"), usage) is None
    assert cost_of(ModelName("openai", "my-name-for-it"), usage, "gpt-4.1") == whole
    assert cost_of(ModelName("openai", "gpt-4.1"), usage, "stub-no-model") == whole


def test_a_budget_waits_for_calls_under_way_rather_than_give_up_early():
    spending = Spending(Limits(budget=1.0))
    reserved = spending.reserve(0.8)
    done = threading.Event()

    def second():
        spending.reserve(0.8)
        done.set()

    thread = threading.Thread(target=second)
    thread.start()
    assert not done.wait(0.05)
    spending.settle(reserved, 0.1)
    thread.join()
    assert spending.spent == 0.1


def test_under_a_budget_what_a_call_of_unknown_cost_reserved_is_spent():
    spending = Spending(Limits(budget=1.0))
    spending.settle(spending.reserve(0.7), None)
    assert (spending.spent, spending.unpriced) == (0.7, 1)
    with pytest.raises(Reached):
        spending.reserve(0.7)
    with pytest.raises(Reached):
        spending.reserve(None)


@pytest.mark.parametrize(
    ("says", "param", "names"),
    [
        ("Unsupported value: 'temperature' does not support 0", None, {"temperature"}),
        ("temperature is deprecated for this model", None, {"temperature"}),
        ("Unsupported parameter", "temperature", {"temperature"}),
        ("response_format is not supported", "response_format", {"schema"}),
        ("Extra inputs are not permitted: output_config", None, {"schema"}),
        ("Unknown argument max_tokens; use max_completion_tokens", "max_tokens", {"limit"}),
        ("maximum context length is 4096, you asked for 5000 in max_tokens", None, set()),
        ("something else is not supported", None, set()),
    ],
)
def test_refusals_are_read_from_what_servers_say(says, param, names):
    assert refused_parameters(says, param) == names


def test_the_size_of_a_request_is_its_bytes():
    assert request("äöü").size == len(b"Be brief.") + 6


def test_importing_the_layer_of_calls_brings_in_no_sdk():
    code = (
        "import sys, llm.calls; "
        "sys.exit(bool({'openai', 'anthropic', 'httpx2', 'genai_prices'} & set(sys.modules)))"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


def test_a_missing_sdk_is_named(monkeypatch):
    error = ModuleNotFoundError("No module named 'anthropic'", name="anthropic")

    def missing(name, *rest):
        if name == "llm.calls.anthropic_client":
            raise error
        return imported(name, *rest)

    imported = __import__
    monkeypatch.setattr("builtins.__import__", missing)
    asking = Caller(environ={"ANTHROPIC_API_KEY": "k"})
    with pytest.raises(BadInput, match="install the extra `anthropic`"):
        asking.check(ModelName("anthropic", "x"))

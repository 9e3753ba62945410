"""The port over real HTTP: replies, faults, repeats and deadlines, through the real client."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from goals.llm import client, prompts
from goals.llm.errors import ModelRefused, ModelRejected, ModelTimeout, ModelUnavailable
from goals.llm.exchange import assistant_message
from goals.llm.port import MAX_REPAIRS, Completion, Request, bound_of, complete, embed, repair, tool_message

VERDICT = {"met": True, "score": 1.0, "reason": "The report exists.", "evidence": "@report"}
TOOL = {
    "type": "function",
    "function": {"name": "list_files", "description": "List files", "parameters": {"type": "object", "properties": {}}},
}


def judging(**given):
    messages = prompts.render(
        "judge_outcome", objective="o", checkpoint=None, criteria="c", result="r", tool_calls=[], artifacts="none"
    )
    return Request(**{"role": "judge", "messages": messages, "reply": "judge_outcome", "timeout": 5} | given)


def test_a_structured_reply_comes_back_typed_with_the_endpoints_own_usage(endpoint):
    endpoint.script["judge_outcome"] = {
        "reply": VERDICT,
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 2}},
    }
    completion = complete(judging(key="effect-1"))
    assert completion.value.met is True
    assert completion.problem is None
    assert (completion.input_tokens, completion.output_tokens, completion.cached_tokens) == (7, 3, 2)
    assert completion.usage_reported
    sent = endpoint.requests[0]
    assert sent["key"] == "effect-1"
    assert sent["body"]["max_tokens"] > 0
    assert sent["body"]["response_format"]["json_schema"]["name"] == "judge_outcome"
    assert sent["headers"]["authorization"] == "Bearer test-key"


def test_a_recorded_completion_is_read_back_equal_without_a_call(endpoint):
    endpoint.script["judge_outcome"] = {"reply": VERDICT}
    completion = complete(judging())
    assert Completion.from_record(completion.as_record(), "judge_outcome") == completion
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    "bad",
    ['{"met": true', "I think it is done.", '{"met": "perhaps", "score": 1, "reason": ""}', '{"met": true}', "", "[]"],
)
def test_a_malformed_reply_is_a_problem_that_the_repair_mends(endpoint, bad):
    endpoint.script["judge_outcome"] = [{"text": bad}, {"reply": VERDICT}]
    first = complete(judging())
    assert first.value is None
    assert first.problem
    messages = repair(judging().messages, first)
    second = complete(judging(messages=messages))
    assert second.value.met is True
    assert first.problem in endpoint.requests[1]["body"]["messages"][-1]["content"]
    assert MAX_REPAIRS == 2


def test_a_reply_cut_off_at_the_token_limit_says_so(endpoint):
    endpoint.script["judge_outcome"] = {"text": '{"met": tr', "finish_reason": "length"}
    assert "cut off" in complete(judging()).problem


def test_a_refusal_is_an_error_that_knows_what_it_used(endpoint):
    endpoint.script["judge_outcome"] = {
        "refusal": "I cannot help with that.",
        "usage": {"prompt_tokens": 9, "completion_tokens": 4},
    }
    with pytest.raises(ModelRefused, match="cannot help") as caught:
        complete(judging())
    assert not caught.value.retryable
    assert caught.value.completion.input_tokens == 9


def test_a_content_filter_is_a_refusal(endpoint):
    endpoint.script["judge_outcome"] = {"text": "", "finish_reason": "content_filter"}
    with pytest.raises(ModelRefused, match="content filter"):
        complete(judging())


def test_a_short_retry_after_is_waited_for(endpoint):
    endpoint.script["judge_outcome"] = [{"status": 429, "headers": {"Retry-After": "1"}}, {"reply": VERDICT}]
    started = time.monotonic()
    assert complete(judging()).value.met
    assert time.monotonic() - started >= 1.0
    assert len(endpoint.requests) == 2


def test_a_retry_after_may_be_a_date(endpoint):
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    endpoint.script["judge_outcome"] = {"status": 503, "headers": {"Retry-After": at}}
    with pytest.raises(ModelUnavailable) as caught:
        complete(judging())
    assert 80 < caught.value.retry_after <= 90
    assert len(endpoint.requests) == 1
    endpoint.script["judge_outcome"] = {"status": 503, "headers": {"Retry-After": "soon", "x-should-retry": "false"}}
    with pytest.raises(ModelUnavailable) as caught:
        complete(judging())
    assert caught.value.retry_after is None


def test_a_long_retry_after_is_told_at_once(endpoint):
    endpoint.script["judge_outcome"] = {"status": 429, "headers": {"Retry-After": "60"}}
    started = time.monotonic()
    with pytest.raises(ModelUnavailable) as caught:
        complete(judging())
    assert time.monotonic() - started < 30
    assert caught.value.retry_after == 60
    assert caught.value.retryable
    assert len(endpoint.requests) == 1


def test_an_exhausted_quota_is_not_worth_a_retry(endpoint):
    error = {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"}
    endpoint.script["judge_outcome"] = {"status": 429, "headers": {"x-should-retry": "false"}, "error": error}
    with pytest.raises(ModelRejected, match="quota"):
        complete(judging())


def test_a_server_error_is_tried_three_times_and_then_told(endpoint):
    endpoint.script["judge_outcome"] = {"status": 500, "headers": {"Retry-After": "0.01"}}
    with pytest.raises(ModelUnavailable, match="500"):
        complete(judging())
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_rejection_is_told_once_with_the_endpoints_words(endpoint, status):
    endpoint.script["judge_outcome"] = {"status": status, "error": {"message": "no such model", "code": None}}
    with pytest.raises(ModelRejected, match="no such model") as caught:
        complete(judging())
    assert not caught.value.retryable
    assert len(endpoint.requests) == 1


def test_a_slow_reply_times_out_and_is_not_sent_again_behind_our_back(endpoint):
    timed_out = threading.Event()
    endpoint.script["judge_outcome"] = {"reply": VERDICT, "hold": timed_out.is_set}
    with pytest.raises(ModelTimeout) as caught:
        complete(judging(timeout=0.3))
    assert caught.value.retryable
    time.sleep(0.3)
    timed_out.set()
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("where", ["before", "body"])
def test_a_cut_connection_is_told_and_not_sent_again_behind_our_back(endpoint, where):
    endpoint.script["judge_outcome"] = {"reply": VERDICT, "cut": where}
    with pytest.raises(ModelUnavailable, match="cut") as caught:
        complete(judging())
    assert caught.value.retryable
    assert len(endpoint.requests) == 1


def test_an_endpoint_that_is_not_there_is_unavailable(settings, endpoint):
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    with pytest.raises(ModelUnavailable, match="could not be reached"):
        complete(judging())


@pytest.mark.parametrize("body", ["<html>hello</html>", {"hello": "world"}, {"choices": []}, []])
def test_an_address_that_is_no_model_endpoint_is_rejected(endpoint, body):
    endpoint.script["judge_outcome"] = {"body": body}
    with pytest.raises(ModelRejected):
        complete(judging())


def test_an_error_in_a_successful_body_is_still_an_error(endpoint):
    endpoint.script["judge_outcome"] = {"body": {"error": {"message": "upstream is down"}}}
    with pytest.raises(ModelUnavailable, match="upstream is down"):
        complete(judging())


def test_missing_usage_counts_as_the_upper_bound(endpoint):
    endpoint.script["judge_outcome"] = {"reply": VERDICT, "usage": None}
    completion = complete(judging())
    assert (completion.input_tokens, completion.output_tokens) == bound_of(judging())
    assert not completion.usage_reported


def test_tool_calls_come_back_as_they_were_written_and_go_back_into_the_conversation(endpoint):
    endpoint.script["act"] = {
        "tool_calls": [{"name": "list_files", "arguments": '{"path": '}, {"name": "list_files", "arguments": {}}],
        "then": {"reply": {"status": "done", "result": "two files", "outputs": []}},
    }
    request = Request(role="worker", messages=_acting(), reply="act", tools=[TOOL], timeout=60)
    completion = complete(request)
    assert [call.arguments for call in completion.tool_calls] == ['{"path": ', "{}"]
    assert completion.value is None
    assert completion.problem is None
    answers = [tool_message(call, "a.py\nb.py") for call in completion.tool_calls]
    again = Request(
        role="worker", messages=[*_acting(), assistant_message(completion), *answers], reply="act", tools=[TOOL]
    )
    assert complete(again).value.status == "done"
    assert endpoint.requests[1]["body"]["messages"][-1]["tool_call_id"] == completion.tool_calls[1].id


@pytest.mark.parametrize(("mode", "format_sent"), [("json_object", {"type": "json_object"}), ("prompt", None)])
def test_endpoints_without_json_schema_are_asked_in_words(endpoint, settings, mode, format_sent):
    settings.GOALSITE_STRUCTURED_OUTPUT = mode
    endpoint.script["judge_outcome"] = {"text": 'Sure:\n```json\n{"met":true,"score":1,"reason":"x"}\n```'}
    assert complete(judging()).value.met
    sent = endpoint.requests[0]
    assert sent["name"] == "judge_outcome"
    assert sent["body"].get("response_format") == format_sent
    assert '"reason"' in sent["body"]["messages"][0]["content"]


def test_json_object_is_not_asked_for_together_with_tools(endpoint, settings):
    settings.GOALSITE_STRUCTURED_OUTPUT = "json_object"
    complete(Request(role="worker", messages=_acting(), reply="act", tools=[TOOL]))
    assert "response_format" not in endpoint.requests[0]["body"]


def test_each_role_has_its_model(endpoint, settings):
    settings.GOALSITE_MODELS = {**settings.GOALSITE_MODELS, "judge": "judge-model"}
    assert complete(judging()).model == "judge-model"
    assert complete(judging(model="other")).model == "other"


def test_embeddings_have_the_dimensions_that_were_asked_for(endpoint):
    vectors = embed(["a train to Paris", "a train"], model="any", dimensions=64)
    assert [len(vector) for vector in vectors] == [64, 64]


def test_threads_share_one_client(endpoint):
    endpoint.script["judge_outcome"] = {"reply": VERDICT}
    with ThreadPoolExecutor(16) as pool:
        completions = list(pool.map(lambda _: complete(judging()), range(64)))
    assert all(completion.value.met for completion in completions)
    assert client.client() is client.client()


def test_no_proxy_of_the_environment_stands_before_a_loopback_endpoint(endpoint, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    client._close()
    assert complete(judging()).text


def _acting():
    return prompts.render(
        "act",
        objective="o",
        context="",
        summary="",
        steering="",
        artifacts="",
        checkpoint={"title": "t"},
        task={"gloss": "look at the modules", "operation": "search"},
        previous_failure="",
        results=[],
        earlier={},
        budget={},
    )

"""AWS's runtime interface client for Python, with the emulator's Runtime API."""

import concurrent.futures
import json
import re
import time

from judge import APP, case, client, fetch, run

functions = client("lambda", max_pool_connections=16)


def invoke(event, function="direct"):
    answer = functions.invoke(FunctionName=function, Payload=json.dumps(event))
    return answer, json.loads(answer["Payload"].read())


@case
def the_context_is_complete():
    before = time.time()
    answer, told = invoke({"do": "context"})
    assert told["requestId"] == answer["ResponseMetadata"]["RequestId"]
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", told["requestId"])
    assert told["arn"] == "arn:aws:lambda:us-east-1:123456789012:function:direct"
    assert told["name"] == "direct" and told["version"] == "$LATEST"
    assert told["memory"] == "512" and told["variable"] == "grüezi"
    assert told["logGroup"] == "/aws/lambda/direct" and told["logStream"]
    # The remaining time is sixty seconds minus at most the time since the call.
    assert 60_000 - (time.time() - before) * 1000 - 1000 < told["remaining"] <= 60_000, told
    assert told["custom"] is None and told["region"] == "us-east-1"
    assert re.match(r"Root=1-[0-9a-f]{8}-[0-9a-f]{24}", told["trace"]), told["trace"]


@case
def a_process_serves_one_event_after_the_other():
    first = invoke({"do": "count"})[1]
    second = invoke({"do": "count"})[1]
    assert second == {"process": first["process"], "count": first["count"] + 1}, (first, second)


@case
def every_request_has_an_id_of_its_own():
    ids = {invoke({"do": "context"})[1]["requestId"] for _ in range(20)}
    assert len(ids) == 20


@case
def an_exception_is_told_as_the_runtime_tells_it():
    answer, error = invoke({"do": "raise", "message": "naïve"})
    assert answer["FunctionError"] == "Unhandled"
    assert error["errorType"] == "Refused" and error["errorMessage"] == "naïve"
    assert error["requestId"] == answer["ResponseMetadata"]["RequestId"]
    assert "app.py" in error["stackTrace"][0], error
    answer, error = invoke({}, "unserializable")
    assert answer["FunctionError"] == "Unhandled"
    assert error["errorType"] == "Runtime.MarshalError", error


@case
def a_handler_that_is_not_there_ends_the_init():
    answer, error = invoke({}, "misspelt")
    assert answer["FunctionError"] == "Unhandled"
    assert error["errorType"] == "Runtime.HandlerNotFound", error
    assert "nothing_of_that_name" in error["errorMessage"], error


@case
def eight_callers_are_served_side_by_side():
    def ask(number):
        status, _, body = fetch("GET", f"{APP}/python/slow?n={number}")
        assert status == 200, body
        told = json.loads(body)
        assert told["event"]["queryStringParameters"] == {"n": str(number)}
        return told["process"], told["id"]

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(64)))
    assert len({request for _, request in answers}) == 64
    assert len({process for process, _ in answers}) >= 2, answers


@case
def an_idle_runtime_waits():
    # An empty response to `next` would end this runtime.
    before = invoke({"do": "count"})[1]
    time.sleep(3)
    after = invoke({"do": "count"})[1]
    assert after == {"process": before["process"], "count": before["count"] + 1}, (before, after)


run()

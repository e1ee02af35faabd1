"""boto3 with the Lambda API: all ways to invoke a function, and their descriptions."""

import base64
import json
import threading
import time

from botocore.exceptions import ClientError
from judge import case, client, control, refused, run

functions = client("lambda")
ARN = "arn:aws:lambda:us-east-1:123456789012:function:direct"


def invoke(event, function="direct", **more):
    """The response with its payload, parsed if it is JSON."""
    answer = functions.invoke(FunctionName=function, Payload=json.dumps(event), **more)
    text = answer["Payload"].read()
    answer["Payload"] = json.loads(text) if text else None
    return answer


@case
def an_answer_is_what_the_function_returned():
    for value in ({"a": [1, 2.5, None, "ä\U0001f680"]}, [1], "text", 7, True, None):
        answer = invoke({"answer": value})
        assert answer["Payload"] == value and answer["StatusCode"] == 200
        assert answer["ExecutedVersion"] == "$LATEST" and "FunctionError" not in answer
    assert functions.invoke(FunctionName="direct")["Payload"].read() == b"null"


@case
def a_function_has_many_names():
    for name in ("direct", ARN, f"{ARN}:$LATEST", "123456789012:function:direct", "direct:$LATEST"):
        assert invoke({"answer": 1}, name)["Payload"] == 1, name
    assert invoke({"answer": 1}, Qualifier="$LATEST")["Payload"] == 1
    for name in ("nobody", f"{ARN}x", "direct:7"):
        with refused("ResourceNotFoundException", 404, "Function not found: arn:aws:") as refusal:
            invoke({}, name)
        assert isinstance(refusal.error, functions.exceptions.ResourceNotFoundException)
    with refused("ResourceNotFoundException", 404):
        invoke({}, Qualifier="live")
    with refused("InvalidParameterValueException", 400, "qualifier"):
        invoke({}, "direct:7", Qualifier="$LATEST")
    with refused("ValidationException", 400, "functionName"):
        invoke({}, "no good")


@case
def a_failing_function_is_an_answer():
    answer = invoke({"do": "raise", "message": "on purpose"})
    assert answer["StatusCode"] == 200 and answer["FunctionError"] == "Unhandled"
    error = answer["Payload"]
    assert error["errorType"] == "Refused" and error["errorMessage"] == "on purpose", error
    assert any("in direct" in line for line in error["stackTrace"])


@case
def the_tail_of_the_log_comes_when_asked_for():
    answer = invoke({"do": "print", "text": "for the log"}, LogType="Tail")
    log = base64.b64decode(answer["LogResult"]).decode()
    request = answer["ResponseMetadata"]["RequestId"]
    lines = log.splitlines()
    assert lines[0] == f"START RequestId: {request} Version: $LATEST", log
    assert "for the log" in lines and lines[-2] == f"END RequestId: {request}", log
    assert lines[-1].startswith(f"REPORT RequestId: {request}\tDuration: "), log
    assert "Billed Duration: " in lines[-1] and "Memory Size: 512 MB" in lines[-1]
    assert "LogResult" not in invoke({"do": "print", "text": "unasked"})
    long = invoke({"do": "print", "text": "end", "count": 10_000}, LogType="Tail")
    tail = base64.b64decode(long["LogResult"])
    assert len(tail) == 4096 and b"xend\n" in tail, len(tail)


@case
def the_function_sees_its_context():
    custom = {"client": {"app_title": "judge"}, "custom": {"k": "v"}, "env": {}}
    answer = invoke(
        {"do": "context"},
        ClientContext=base64.b64encode(json.dumps(custom).encode()).decode())
    told = answer["Payload"]
    assert told["requestId"] == answer["ResponseMetadata"]["RequestId"]
    assert told["custom"] == {"k": "v"} and told["client"] == "judge", told
    with refused("InvalidRequestContentException", 400):
        invoke({}, ClientContext=base64.b64encode(b"no JSON").decode())


@case
def a_dry_run_runs_nothing():
    # On a busy machine the first process may not be ready again, and a second one answers.
    for _ in range(5):
        before = invoke({"do": "count"})["Payload"]
        answer = functions.invoke(FunctionName="direct", InvocationType="DryRun")
        assert answer["StatusCode"] == 204 and answer["Payload"].read() == b""
        after = invoke({"do": "count"})["Payload"]
        if after["process"] == before["process"]:
            break
    assert after == {**before, "count": before["count"] + 1}, (before, after)
    with refused("ResourceNotFoundException", 404):
        functions.invoke(FunctionName="nobody", InvocationType="DryRun")


@case
def an_event_is_answered_before_it_is_done():
    answer = functions.invoke(
        FunctionName="direct", InvocationType="Event", Payload=b'{"answer": "later"}')
    assert answer["StatusCode"] == 202 and answer["Payload"].read() == b""
    assert "ExecutedVersion" not in answer
    for _ in range(300):
        done = control("GET", "invocations")["invocations"]
        if any(record["answer"] == '"later"' for record in done):
            return
        time.sleep(0.1)
    raise AssertionError("nobody ran the event")


@case
def payloads_have_limits():
    with refused("RequestTooLargeException", 413):
        functions.invoke(FunctionName="direct", Payload=b'"' + b"x" * (6 << 20) + b'"')
    with refused("RequestTooLargeException", 413):
        functions.invoke(
            FunctionName="direct", InvocationType="Event", Payload=b'"' + b"x" * (1 << 20) + b'"')
    with refused("InvalidRequestContentException", 400, "Could not parse request body into json"):
        functions.invoke(FunctionName="direct", Payload=b"no JSON")
    large = {"answer": "x" * (5 << 20)}
    assert invoke(large)["Payload"] == large["answer"]
    answer = invoke({"do": "big", "count": 7 << 20})
    assert answer["FunctionError"] == "Unhandled", answer["ResponseMetadata"]
    assert answer["Payload"]["errorType"] == "Function.ResponseSizeTooLarge", answer["Payload"]


@case
def reserved_concurrency_is_a_limit():
    outcomes = []
    own = client("lambda", max_pool_connections=4)

    def one():
        try:
            event = json.dumps({"do": "sleep", "seconds": 1, "answer": "done"})
            own.invoke(FunctionName="single", Payload=event)["Payload"].read()
            outcomes.append("done")
        except ClientError as error:
            assert error.response["Reason"] == "ReservedFunctionConcurrentInvocationLimitExceeded"
            outcomes.append(error.response["Error"]["Code"])

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "done" in outcomes and set(outcomes) <= {"done", "TooManyRequestsException"}, outcomes
    assert outcomes.count("TooManyRequestsException") >= 1, outcomes


@case
def functions_are_listed_and_described():
    listed = [
        function
        for page in functions.get_paginator("list_functions").paginate()
        for function in page["Functions"]
    ]
    assert {"direct", "http", "single"} <= {function["FunctionName"] for function in listed}
    found = functions.get_function(FunctionName="direct")["Configuration"]
    assert found in listed
    assert found["FunctionArn"] == ARN and found["Runtime"] == "provided.al2023"
    assert found["Handler"] == "app.direct" and found["MemorySize"] == 512
    assert found["Timeout"] == 60 and found["Environment"]["Variables"]["GREETING"] == "grüezi"
    assert found["State"] == "Active"
    assert found["Role"] == "arn:aws:iam::123456789012:role/DirectRole", found["Role"]
    single = functions.get_function(FunctionName="single")
    assert single["Concurrency"] == {"ReservedConcurrentExecutions": 1}
    assert functions.get_function_configuration(FunctionName=ARN)["FunctionName"] == "direct"
    functions.get_waiter("function_active_v2").wait(FunctionName="direct")
    with refused("ResourceNotFoundException", 404, "Function not found: arn:aws:lambda:"):
        functions.get_function(FunctionName="nobody")


run()

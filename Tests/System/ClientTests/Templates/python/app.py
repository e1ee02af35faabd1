"""A function that executes the command in its event, with AWS's client of the Runtime API."""

import json
import os
import time

state = {"count": 0}


class Refused(Exception):
    pass


def direct(event, context):
    state["count"] += 1
    what = event.get("do")
    if what == "raise":
        raise Refused(event["message"])
    if what == "sleep":
        time.sleep(event["seconds"])
    if what == "print":
        print("x" * event.get("count", 0) + event["text"])
    if what == "big":
        return "x" * event["count"]
    if what == "context":
        return described(context)
    if what == "count":
        return {"process": os.getpid(), "count": state["count"]}
    return event.get("answer")


def described(context):
    client = context.client_context
    return {
        "requestId": context.aws_request_id,
        "arn": context.invoked_function_arn,
        "name": context.function_name,
        "version": context.function_version,
        "memory": context.memory_limit_in_mb,
        "logGroup": context.log_group_name,
        "logStream": context.log_stream_name,
        "remaining": context.get_remaining_time_in_millis(),
        "custom": client.custom if client else None,
        "client": client.client.app_title if client and client.client else None,
        "variable": os.environ.get("GREETING"),
        "root": os.environ.get("LAMBDA_TASK_ROOT"),
        "trace": os.environ.get("_X_AMZN_TRACE_ID"),
        "region": os.environ.get("AWS_REGION"),
    }


def http(event, context):
    time.sleep(0.2)
    return {
        "statusCode": 200,
        "headers": {"Content-Type": "application/json"},
        "body": json.dumps({"event": event, "process": os.getpid(), "id": context.aws_request_id}),
    }


class Unprintable:
    pass


def unserializable(event, context):
    return Unprintable()


def echo(event, context):
    print(json.dumps(event))
    return {"statusCode": 200, "body": json.dumps(event)}


def guard(event, context):
    """Allows everything, and returns the request in its context."""
    statement = {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": "*"}
    return {
        "principalId": "anyone",
        "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
        "context": {"event": json.dumps(event)},
    }

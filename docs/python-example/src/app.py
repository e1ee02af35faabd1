"""PUT /notes/{id} stores a note, GET /notes/{id} returns it, GET /notes lists all of them."""

import base64
import json
import os
import time

import boto3

table = boto3.resource("dynamodb").Table(os.environ["TABLE"])
texts = boto3.client("s3")
BUCKET = os.environ["BUCKET"]


def handler(event, context):
    note = event.get("pathParameters", {}).get("id")
    if event["routeKey"] == "PUT /notes/{id}":
        return write(note, body(event))
    if event["routeKey"] == "GET /notes/{id}":
        return read(note)
    return answer(200, sorted(item["id"] for item in table.scan()["Items"]))


def body(event):
    text = event.get("body", "").encode()
    return base64.b64decode(text) if event["isBase64Encoded"] else text


def write(note, content):
    texts.put_object(Bucket=BUCKET, Key=note, Body=content)
    table.put_item(Item={"id": note, "bytes": len(content), "written": int(time.time())})
    print(f"stored {note}, {len(content)} bytes")
    return answer(201, {"id": note, "bytes": len(content)})


def read(note):
    item = table.get_item(Key={"id": note}).get("Item")
    if item is None:
        return answer(404, {"message": f"There is no note {note}."})
    content = texts.get_object(Bucket=BUCKET, Key=note)["Body"].read()
    return answer(200, {"id": note, "bytes": int(item["bytes"]), "text": content.decode()})


def answer(status, value):
    return {"statusCode": status, "body": json.dumps(value)}

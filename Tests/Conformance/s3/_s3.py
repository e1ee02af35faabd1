"""Shared by S3's cases: a client, buckets, raw requests, expected refusals."""

import base64
import contextlib
import functools
import hashlib
import http.client
import itertools
import os
import urllib.parse
import xml.etree.ElementTree

import boto3
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

REGION = "us-east-1"
PART = 5 << 20
_numbers = itertools.count(1)


@functools.cache
def client(checksums="when_required"):
    """boto3 without its own checks, and without checksums that no case asks for."""
    config = Config(
        parameter_validation=False, retries={"total_max_attempts": 1}, signature_version="s3v4",
        request_checksum_calculation=checksums, response_checksum_validation="when_required")
    return boto3.client("s3", config=config)


def unique(word="case"):
    return f"{word}-{next(_numbers)}"


def bucket(*keys):
    """A new bucket with an object for each key, whose content is the key."""
    name = unique("bucket")
    client().create_bucket(Bucket=name)
    for key in keys:
        put(name, key, key)
    return name


@functools.cache
def shared():
    """A bucket for cases whose keys are unique."""
    return bucket()


def put(name, key, body=b"", **more):
    return client().put_object(Bucket=name, Key=key, Body=body, **more)


def get(name, key, **more):
    return client().get_object(Bucket=name, Key=key, **more)


def read(name, key, **more):
    return get(name, key, **more)["Body"].read()


def head(name, key, **more):
    return client().head_object(Bucket=name, Key=key, **more)


def missing(name, key):
    with refused("404", 404):
        head(name, key)


def keys(answer, of="Contents"):
    return [entry["Key"] for entry in answer.get(of, [])]


def prefixes(answer):
    return [entry["Prefix"] for entry in answer.get("CommonPrefixes", [])]


@contextlib.contextmanager
def refused(code, status, message=None, **details):
    """Expects an error of that code and status, with a message that has this text, and with these
    elements."""
    try:
        yield
    except ClientError as error:
        found = error.response["Error"]
        answered = error.response["ResponseMetadata"]["HTTPStatusCode"]
        assert (found["Code"], answered) == (code, status), (found, answered)
        assert message is None or message in found["Message"], found
        for name, value in details.items():
            assert found.get(name) == value, (name, found)
    else:
        raise AssertionError(f"not refused with {code}")


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    @property
    def document(self):
        """The elements of the answer by name; of several the last."""
        root = xml.etree.ElementTree.fromstring(self.body)
        return {element.tag.split("}")[-1]: element.text for element in root.iter()}

    def refuses(self, code, status):
        assert self.status == status, (self.status, self.body)
        assert self.document["Code"] == code, self.body


def raw(method, path, headers=None, body=b"", signed=True, payload=None):
    """Sends exactly this request. `payload` is the value of x-amz-content-sha256; with it, `body`
    may be a function of the headers that were signed."""
    headers = dict(headers or {})
    address = os.environ["AWS_ENDPOINT_URL"]
    if signed:
        headers["x-amz-content-sha256"] = payload or hashlib.sha256(body).hexdigest()
        sent = b"" if callable(body) else body
        request = AWSRequest(method, address + path, headers=headers, data=sent)
        if payload:
            request.context["payload_signing_enabled"] = False
        key = Credentials(os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"])
        _Signer(key, "s3", REGION).add_auth(request)
        headers = dict(request.headers.items())
    if callable(body):
        body = body(headers)
    return _send(method, path, headers, body)


class _Signer(S3SigV4Auth):
    def payload(self, request):
        return request.headers["x-amz-content-sha256"]

    def _modify_request_before_signing(self, request):
        kind = request.headers["x-amz-content-sha256"]
        super()._modify_request_before_signing(request)
        request.headers.replace_header("x-amz-content-sha256", kind)


def _send(method, target, headers, body):
    address = urllib.parse.urlsplit(os.environ["AWS_ENDPOINT_URL"])
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    try:
        connection.request(method, target, body=body or None, headers=headers)
        return Answer(connection.getresponse())
    finally:
        connection.close()


def visit(url, method="GET", headers=None, body=b""):
    """Uses a presigned URL."""
    parts = urllib.parse.urlsplit(url)
    return _send(method, f"{parts.path}?{parts.query}", headers or {}, body)


def presigned(operation, expires=600, **parameters):
    return client().generate_presigned_url(operation, Params=parameters, ExpiresIn=expires)


def md5(body):
    return base64.b64encode(hashlib.md5(body).digest()).decode()


def sha256(body):
    return base64.b64encode(hashlib.sha256(body).digest()).decode()


class Upload:
    """A multipart upload in progress."""

    def __init__(self, name=None, key=None, **more):
        self.place = {"Bucket": name or shared(), "Key": key or unique("upload")}
        self.answer = client().create_multipart_upload(**self.place, **more)
        self.id = self.answer["UploadId"]
        self.parts = []

    def add(self, body, number=None, **more):
        number = number or len(self.parts) + 1
        answer = client().upload_part(
            **self.place, UploadId=self.id, PartNumber=number, Body=body, **more)
        part = {"PartNumber": number, "ETag": answer["ETag"]}
        part |= {name: value for name, value in answer.items() if name.startswith("Checksum")}
        self.parts.append(part)
        return answer

    def complete(self, parts=None, **more):
        return client().complete_multipart_upload(
            **self.place, UploadId=self.id,
            MultipartUpload={"Parts": self.parts if parts is None else parts}, **more)

    def abort(self):
        return client().abort_multipart_upload(**self.place, UploadId=self.id)

"""Users of `photolala` for the test of its OpenAPI document: Invoke of AWS Lambda's API."""

import uuid

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from judge import AWS
from openapi_people import People
from people import mint


class Contract(People):
    EXAMPLES = 30
    # A refusal is a payload, with status 200; and every request is signed.
    FURTHER_CHECKS = []
    SERVER = AWS

    def body(self, path):
        token = mint("google", email=f"{uuid.uuid4()}@example.com")
        return {"provider": "google", "idToken": token, "nonce": None}

    def signed(self, request):
        """The request with Signature Version 4."""
        keys = boto3.Session().get_credentials()
        signed = AWSRequest(request.method, request.url, data=request.body)
        SigV4Auth(keys, "lambda", "us-east-1").add_auth(signed)
        request.headers.update(signed.headers.items())
        return request

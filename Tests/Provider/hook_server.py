"""A server of hooks on loopback, which verifies what it gets."""

import base64
import hashlib
import hmac
import json
import os
import types

import loopback


def start():
    """Its `url`, `secret`, the `events` that it got, and its `answers` by hook, or by target."""
    key = os.urandom(32)
    state = types.SimpleNamespace(
        events=[], answers={}, secret="whsec_" + base64.b64encode(key).decode())

    class Handler(loopback.JSONHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}."
            right = base64.b64encode(
                hmac.new(key, signed.encode() + body, hashlib.sha256).digest()).decode()
            event = json.loads(body)
            standard = {"decision": "allow"} if event["hook"] == "authorize" else {"claims": {}}
            answer = state.answers.get(event.get("target", event["hook"]), standard)
            state.events.append(event)
            is_good = answer is not None and f"v1,{right}" == self.headers["webhook-signature"]
            self.answer(200 if is_good else 500, answer)

    state.url = f"http://127.0.0.1:{loopback.start(Handler)}/"
    return state

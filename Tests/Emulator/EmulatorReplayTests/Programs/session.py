#!/usr/bin/python3 -IS
"""A function with sessions in a file, only for tests of fixtures."""
import contextlib, json, os, secrets, sys, time, uuid

event = json.load(sys.stdin)
path = event.get("rawPath", "")
body = json.loads(event.get("body") or "{}")
bearer = event.get("headers", {}).get("authorization", "").removeprefix("Bearer ")
state = json.load(open("state.json")) if os.path.exists("state.json") else {}
status, answer = 404, {"error": "no such route"}
if path == "/login":
    session = {"id": str(uuid.uuid4()), "email": body["email"], "uses": 0}
    tokens = {"accessToken": secrets.token_hex(20), "refreshToken": "rt_" + secrets.token_hex(20)}
    state |= {tokens["accessToken"]: session, tokens["refreshToken"]: session}
    status, answer = 200, tokens | {"session": session, "at": int(time.time())}
elif path == "/refresh":
    session = state.pop(body["refreshToken"], None)
    status, answer = 401, {"error": "unknown"}
    if session:
        token = "rt_" + secrets.token_hex(20)
        state[token] = session | {"uses": session["uses"] + 1}
        status, answer = 200, {"refreshToken": token, "uses": state[token]["uses"]}
elif path == "/me":
    status, answer = (200, {"me": state[bearer]}) if bearer in state else (401, {"error": "no"})
elif path.startswith("/sessions/"):
    known = [token for token, session in state.items() if session["id"] == path[10:]]
    for token in known:
        del state[token]
    status, answer = 200, {"ended": len(known)}
elif path == "/keys" and bearer in state:
    keys = {"accessKeyId": "ASIA" + secrets.token_hex(8), "secretAccessKey": secrets.token_hex(20)}
    endpoint = os.environ.get("AWS_ENDPOINT_URL")
    with contextlib.suppress(OSError):
        import urllib.request
        urllib.request.urlopen(endpoint, b"Action=AssumeRole&Version=2011-06-15", timeout=10)
    status, answer = 200, {"credentials": keys, "endpoint": endpoint}
elif path == "/crash":
    sys.exit(3)
json.dump(state, open("state.json", "w"))
print(json.dumps({"statusCode": status, "body": json.dumps(answer)}))

"""Settings shared by all contenders."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build/bench"
FUNCTIONS = ROOT / ".build/release"
PRIMITIVES = FUNCTIONS / "primitives"
EMULATOR = ROOT / ".build/release/emulator"
VENV = ROOT / ".venv-bench"

# The developer's keys of `emulator serve`; the yardsticks accept any.
ACCESS_KEY_ID = "latchkey"
SECRET_ACCESS_KEY = "latchkey"
REGION = "us-east-1"
ACCOUNT = "123456789012"

FUNCTION = "empty"
PAUSING_FUNCTION = "pausing"
TABLE = "items"
BUCKET = "objects"
ROLE = "reader"
ROLE_ARN = f"arn:aws:iam::{ACCOUNT}:role/{ROLE}"

# The function's responses, when invoked and through a route.
REPLY = '{"ok":true}'
ROUTE = "/empty"
ROUTE_REPLY = (
    '{"statusCode":200,"headers":{"content-type":"application/json"},"body":"{\\"ok\\":true}"}'
)
PAUSE_MS = 2000

# Row `flows`: the issuer of access tokens, and the trusted identity provider.
ISSUER = "https://auth.example.com"
PROVIDER = "apple"
PROVIDER_ISSUER = "https://appleid.apple.com"
PROVIDER_AUDIENCE = "com.example.app"
TEMPLATES = ROOT / "Functions/Templates"

import AuthComposition

LatchkeyFunction.run(
    "totp",
    "Adds, confirms and removes an authenticator app, and replaces its recovery codes.")

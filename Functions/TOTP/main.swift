import AuthComposition

LatchkeyFunction.run(
    "totp",
    "Adds an authenticator app as the second factor, replaces its recovery codes, removes it.")

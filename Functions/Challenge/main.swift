import AuthComposition

LatchkeyFunction.run(
    "challenge", "Issues a one-time nonce for a sign-in.")

import AuthComposition

LatchkeyFunction.run(
    "revocations", "Lists ended sessions, for servers that verify access tokens by themselves.")

import AuthComposition

LatchkeyFunction.run(
    "revocations", "Lists what has ended, for servers that verify access tokens by themselves.")

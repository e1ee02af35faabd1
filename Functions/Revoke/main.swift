import AuthComposition

LatchkeyFunction.run(
    "revoke", "Revokes the access that a third-party app was granted.")

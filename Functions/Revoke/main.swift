import AuthComposition

LatchkeyFunction.run(
    "revoke", "Ends what a program of others was granted.")

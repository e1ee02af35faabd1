import AuthComposition

LatchkeyFunction.run(
    "reset-password", "Replaces a forgotten password by a mailed link.")

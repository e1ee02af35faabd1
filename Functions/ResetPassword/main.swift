import AuthComposition

LatchkeyFunction.run(
    "reset-password", "Replaces a forgotten password with a mailed link.")

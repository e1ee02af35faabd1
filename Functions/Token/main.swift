import AuthComposition

LatchkeyFunction.run(
    "token", "Gives a program of others the tokens that a user has granted.")

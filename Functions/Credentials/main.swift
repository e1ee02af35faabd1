import AuthComposition

LatchkeyFunction.run(
    "credentials", "Gives a signed-in user keys to their own storage.")

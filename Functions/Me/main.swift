import AuthComposition

LatchkeyFunction.run(
    "me", "Shows or changes the account of a signed-in user.")

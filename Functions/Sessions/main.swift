import AuthComposition

LatchkeyFunction.run(
    "sessions", "Lists the sessions of a signed-in user and ends one.")

import AuthComposition

LatchkeyFunction.run(
    "sessions", "Lists and ends sessions of a signed-in user.")

import AuthComposition

LatchkeyFunction.run(
    "credentials", "Issues storage credentials to a signed-in user.")

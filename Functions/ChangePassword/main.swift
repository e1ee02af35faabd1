import AuthComposition

LatchkeyFunction.run(
    "change-password", "Replaces the password of a signed-in user.")

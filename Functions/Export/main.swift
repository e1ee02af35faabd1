import AuthComposition

LatchkeyFunction.run(
    "export", "Gives a signed-in user, or an operator, everything that is stored about the user.")

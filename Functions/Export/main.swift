import AuthComposition

LatchkeyFunction.run(
    "export", "Gives a signed-in user everything that is stored about them.")

import AuthComposition

LatchkeyFunction.run(
    "export", "Exports all data that is stored about a user, for that user or an operator.")

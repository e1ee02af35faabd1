import AuthComposition

LatchkeyFunction.run(
    "merge", "Merges the account of a session into another account that the user has proven.")

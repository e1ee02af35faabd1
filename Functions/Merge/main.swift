import AuthComposition

LatchkeyFunction.run(
    "merge", "Merges a session's account into another account that the user can sign in to.")

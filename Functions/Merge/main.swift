import AuthComposition

LatchkeyFunction.run(
    "merge", "Ends the account of a session in another one, whose way to sign in it has proven.")

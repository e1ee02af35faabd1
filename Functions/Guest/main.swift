import AuthComposition

LatchkeyFunction.run(
    "guest", "Creates an account without sign-in methods, which can be added later.")

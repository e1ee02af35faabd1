import AuthComposition

LatchkeyFunction.run(
    "guest", "Makes an account without a way to sign in, which can be given one later.")

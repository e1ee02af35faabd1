import AuthComposition

LatchkeyFunction.run(
    "register", "Makes an account with an e-mail address and a password.")

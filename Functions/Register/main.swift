import AuthComposition

LatchkeyFunction.run(
    "register", "Creates an account with an e-mail address and a password.")

import AuthComposition

LatchkeyFunction.run(
    "login", "Signs in with an e-mail address and a password.")

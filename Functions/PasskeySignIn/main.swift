import AuthComposition

LatchkeyFunction.run(
    "passkey-signin", "Signs a user in with a passkey.")

import AuthComposition

LatchkeyFunction.run(
    "passkey-signup", "Makes an account with a passkey alone.")

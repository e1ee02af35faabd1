import AuthComposition

LatchkeyFunction.run(
    "passkey-signup", "Creates an account whose only sign-in method is a passkey.")

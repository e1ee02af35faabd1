import AuthComposition

LatchkeyFunction.run(
    "passkey-options", "Begins a passkey ceremony: a challenge, and the options for the client.")

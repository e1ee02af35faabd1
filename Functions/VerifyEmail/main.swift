import AuthComposition

LatchkeyFunction.run(
    "verify-email", "Creates a registered account when its address is verified, and signs in.")

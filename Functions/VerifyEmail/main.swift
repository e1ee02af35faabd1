import AuthComposition

LatchkeyFunction.run(
    "verify-email", "Makes a registered account when its address is proven, and signs in.")

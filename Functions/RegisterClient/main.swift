import AuthComposition

LatchkeyFunction.run(
    "register-client", "Registers a third-party app that describes itself.")

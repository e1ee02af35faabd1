import AuthComposition

LatchkeyFunction.run(
    "register-client", "Registers a program of others that describes itself.")

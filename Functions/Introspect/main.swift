import AuthComposition

LatchkeyFunction.run(
    "introspect", "Tells a server whether a token is active.")

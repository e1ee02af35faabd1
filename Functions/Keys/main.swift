import AuthComposition

LatchkeyFunction.run(
    "keys", "Publishes the keys that verify access tokens.")

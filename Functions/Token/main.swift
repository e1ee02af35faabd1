import AuthComposition

LatchkeyFunction.run(
    "token", "Issues tokens to a third-party app that a user has authorized.")

import AuthComposition

LatchkeyFunction.run(
    "refresh", "Exchanges a refresh token for its successor.")

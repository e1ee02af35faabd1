import AuthComposition

LatchkeyFunction.run(
    "userinfo", "Tells a third-party app who its user is.")

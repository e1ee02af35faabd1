import AuthComposition

LatchkeyFunction.run(
    "userinfo", "Tells a program of others who its user is.")

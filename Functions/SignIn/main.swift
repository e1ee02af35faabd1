import AuthComposition

LatchkeyFunction.run(
    "signin", "Signs a user in with an identity token.")

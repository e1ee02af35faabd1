import AuthComposition

LatchkeyFunction.run(
    "admin-login", "Signs an administrator in with the administrator's password.")

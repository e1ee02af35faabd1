import AuthComposition

LatchkeyFunction.run(
    "adminlogin", "Signs an administrator in with the administrator's password.")

import AuthComposition

LatchkeyFunction.run(
    "admin-logout", "Ends an administrator's session.")

import AuthComposition

LatchkeyFunction.run(
    "adminlogout", "Ends an administrator's session.")

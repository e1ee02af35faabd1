import AuthComposition

LatchkeyFunction.run("add-password", "Gives the account of a signed-in user a password.")

import AuthComposition

LatchkeyFunction.run("add-password", "Adds a password to the account of a signed-in user.")

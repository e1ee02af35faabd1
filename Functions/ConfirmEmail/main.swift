import AuthComposition

LatchkeyFunction.run("confirm-email", "Proves the e-mail address of a signed-in user.")

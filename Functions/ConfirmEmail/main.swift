import AuthComposition

LatchkeyFunction.run("confirm-email", "Verifies the e-mail address of a signed-in user.")

import AuthComposition

LatchkeyFunction.run("link", "Adds an identity of a provider to the account of a signed-in user.")

import AuthComposition

LatchkeyFunction.run("link", "Adds an identity from a provider to the account of a signed-in user.")

import AuthComposition

LatchkeyFunction.run("redeem-magic-link", "Signs in with the token of a mailed link.")

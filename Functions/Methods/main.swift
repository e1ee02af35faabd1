import AuthComposition

LatchkeyFunction.run("methods", "Lists and removes the ways in which a user signs in.")

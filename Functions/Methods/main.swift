import AuthComposition

LatchkeyFunction.run("methods", "Lists and removes the sign-in methods of a user.")

import AuthComposition

LatchkeyFunction.run(
    "par", "Stores an app's authorization request before the app redirects the user.")

import AuthComposition

LatchkeyFunction.run(
    "me", "Shows a signed-in user their account, and changes the name.")

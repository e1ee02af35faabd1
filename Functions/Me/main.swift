import AuthComposition

LatchkeyFunction.run(
    "me", "Tells a signed-in user about their account.")

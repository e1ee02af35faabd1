import AuthComposition

LatchkeyFunction.run(
    "passkeys", "Lists, adds, renames and removes passkeys of a signed-in user.")

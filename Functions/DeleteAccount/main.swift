import AuthComposition

LatchkeyFunction.run(
    "delete-account", "Deletes the account of a signed-in user, and what belongs to it.")

import AuthComposition

LatchkeyFunction.run(
    "delete-account", "Deletes the account of a signed-in user and its data.")

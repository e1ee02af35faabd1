import AuthComposition

LatchkeyFunction.run(
    "import-users", "Makes accounts for the users of another system, with their password hashes.")

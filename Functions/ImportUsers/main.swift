import AuthComposition

LatchkeyFunction.run(
    "import-users", "Creates accounts for the users of another system, with their password hashes.")

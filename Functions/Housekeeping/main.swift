import AuthComposition

LatchkeyFunction.run(
    "housekeeping",
    "Does background work: sends due mail, erases deleted accounts.")

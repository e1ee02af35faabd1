import AuthComposition

LatchkeyFunction.run(
    "housekeeping",
    "Does what requests leave over: sends the mail that is due, erases deleted accounts.")

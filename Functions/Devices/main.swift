import AuthComposition

LatchkeyFunction.run(
    "devices", "Lists, trusts and forgets devices of a signed-in user.")

import AuthComposition

LatchkeyFunction.run(
    "devices", "Lists the devices of a signed-in user, trusts one and forgets one.")

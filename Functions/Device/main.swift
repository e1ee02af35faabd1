import AuthComposition

LatchkeyFunction.run(
    "device", "Begins a device's request for access to an account of its user.")

import AuthComposition

LatchkeyFunction.run(
    "device", "Begins a device's request for access to its user's account.")

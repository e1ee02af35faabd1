import AuthComposition

LatchkeyFunction.run(
    "signout", "Ends sessions.")

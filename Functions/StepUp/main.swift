import AuthComposition

LatchkeyFunction.run(
    "step-up", "Lets a signed-in user prove again who they are.")

import AuthComposition

LatchkeyFunction.run(
    "par", "Keeps an app's request for the person whom it is about to send.")

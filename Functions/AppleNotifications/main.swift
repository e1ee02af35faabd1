import AuthComposition

LatchkeyFunction.run(
    "apple-notifications", "Receives Apple's notifications about users' accounts.")

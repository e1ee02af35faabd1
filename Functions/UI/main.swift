import AuthComposition

LatchkeyFunction.run(
    "ui", "The pages on which people sign in, register and look after their accounts.")

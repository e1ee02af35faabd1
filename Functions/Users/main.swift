import AuthComposition

LatchkeyFunction.run(
    "users", "Lists, disables, enables and signs out users, for administrators.")

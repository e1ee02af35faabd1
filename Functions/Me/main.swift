import AuthComposition

LatchkeyFunction.run(
    "me", "Tells a signed-in person who they are.",
    serving: [.me])

import AuthComposition
import Contracts

LatchkeyFunction.run(
    "me", "Tells a signed-in person who they are.",
    serving: [.me])

import AuthComposition
import Contracts

LatchkeyFunction.run(
    "credentials", "Gives a signed-in person keys to their own storage.",
    serving: [.credentials])

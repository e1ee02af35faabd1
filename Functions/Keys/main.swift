import AuthComposition
import Contracts

LatchkeyFunction.run(
    "keys", "Publishes the keys that verify our tokens.",
    serving: [.keySet, .discovery])

import AuthComposition
import Contracts

LatchkeyFunction.run(
    "refresh", "Trades a refresh token for its successor.",
    serving: [.refresh])

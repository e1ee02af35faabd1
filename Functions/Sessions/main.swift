import AuthComposition
import Contracts

LatchkeyFunction.run(
    "sessions", "Lists the sessions of a signed-in person and ends one.",
    serving: [.listSessions, .revokeSession])

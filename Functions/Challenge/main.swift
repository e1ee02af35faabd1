import AuthComposition
import Contracts

LatchkeyFunction.run(
    "challenge", "Issues a one-time nonce for a sign-in.",
    serving: [.challenge])

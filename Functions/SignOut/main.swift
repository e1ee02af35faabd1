import AuthComposition
import Contracts

LatchkeyFunction.run(
    "signout", "Ends sessions.",
    serving: [.signOut])

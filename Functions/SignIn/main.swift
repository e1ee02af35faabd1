import AuthComposition
import Contracts

LatchkeyFunction.run(
    "signin", "Signs a person in with an identity token.",
    serving: [.signIn])

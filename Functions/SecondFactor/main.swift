import AuthComposition

LatchkeyFunction.run(
    "second-factor", "Completes a sign-in with a code of an authenticator app or a recovery code.")

import AuthComposition

LatchkeyFunction.run(
    "forgot-password", "Mails a link to replace a forgotten password.")

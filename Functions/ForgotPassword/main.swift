import AuthComposition

LatchkeyFunction.run(
    "forgot-password", "Mails a link with which a forgotten password can be replaced.")

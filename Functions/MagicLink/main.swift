import AuthComposition

LatchkeyFunction.run("magic-link", "Mails a link that signs in.")

import AuthComposition

LatchkeyFunction.run(
    "change-email",
    "Mails a link to a user's new e-mail address, and restores the former one.")

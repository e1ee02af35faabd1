import AuthComposition

LatchkeyFunction.run(
    "resend-verification", "Mails another link for a registration.")

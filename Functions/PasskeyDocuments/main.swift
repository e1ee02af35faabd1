import AuthComposition

LatchkeyFunction.run(
    "passkey-documents", "Publishes the sites and apps that share the passkeys.")

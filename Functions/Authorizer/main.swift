import AuthComposition

LatchkeyFunction.runAuthorizer(
    "authorizer", "Decides for an API gateway whether a request may pass.")

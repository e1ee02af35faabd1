import AuthComposition

LatchkeyFunction.runAuthorizer(
    "authorizer", "Authorizes requests for an API gateway.")

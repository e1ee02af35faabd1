internal import AuthDomain
internal import AuthOperations
internal import JSON

/// Gives an app the session of a sign-in on the pages.
enum PageTokenEndpoint {
    static let all: [Endpoint] = [
        Endpoint(
            .redeemSignInCode, .post("/auth/ui/token"), needs: [.sessions, .hooks]
        ) { call, auth in
            guard auth.policy.pages != nil else { throw RequestError.notFound }
            let body = try call.body.only("code", "codeVerifier")
            let tokens = try auth.redeemSignInCode(
                try body.required("code"), verifier: try body.required("codeVerifier"),
                call.caller)
            return Answer(.object(LatchkeyBodies.session(tokens)))
        }
    ]
}

internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

/// Accounts that end in another one.
enum MergeEndpoints {
    static let all: [Endpoint] = [
        Endpoint(
            .mergeAccounts, .post("/auth/merge"), needs: [.sessions, .mail, .moving, .hooks]
        ) { call, auth in
            var input = MergeAccounts.Input(
                ticket: try call.body.required("merge"),
                refreshToken: try call.body.required("refreshToken"))
            if let code = try call.body.optional("recoveryCode") {
                input.secondFactor = .recoveryCode(code)
            } else if let code = try call.body.optional("code") {
                input.secondFactor = .code(typed: code)
            }
            input.device = try LatchkeyBodies.device(call.body)
            let tokens = try auth.mergeAccounts(input, call.caller)
            return Answer(.object(LatchkeyBodies.session(tokens)))
        }
    ]

    /// The answer to a way to sign in that belongs to another account.
    static func inUse(_ ticket: MergeTicket) -> Answer {
        Answer(
            409,
            [
                "error": [
                    "code": "IDENTITY_IN_USE",
                    "message":
                        "Another account signs in with this identity: the two can be merged.",
                ],
                "merge": .string(ticket.reveal()),
                "expiresIn": .number(JSONNumber(ticket.lifetime.seconds)),
            ])
    }
}

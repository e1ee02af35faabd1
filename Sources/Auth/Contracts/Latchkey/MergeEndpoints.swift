internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

/// Merges of accounts.
enum MergeEndpoints {
    static let all: [Endpoint] = [
        Endpoint(
            .mergeAccounts, .post("/auth/merge"), needs: [.sessions, .mail, .moving, .hooks]
        ) { call, auth in
            var input = MergeAccounts.Input(
                try proof(call.body), refreshToken: try call.body.required("refreshToken"))
            input.device = try LatchkeyBodies.device(call.body)
            let tokens = try auth.mergeAccounts(input, call.caller)
            return Answer(.object(LatchkeyBodies.session(tokens)))
        }
    ]

    /// Reads a session of the account that remains, or a ticket for it.
    private static func proof(_ body: Fields) throws(RequestError) -> MergeAccounts.Proof {
        if let session = try body.object("into") {
            return .session(
                accessToken: try session.required("accessToken"),
                refreshToken: try session.required("refreshToken"))
        }
        let ticket = try body.required("merge")
        if let code = try body.optional("recoveryCode") {
            return .ticket(ticket, secondFactor: .recoveryCode(code))
        }
        return .ticket(
            ticket, secondFactor: try body.optional("code").map { .code(typed: $0) })
    }

    /// The answer if a sign-in method belongs to another account.
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

internal import AuthDomain
internal import AuthOperations
internal import JSON

/// Another e-mail address for an account. `POST /auth/email/confirm` proves it.
struct EmailChangeEndpoints {
    let users: UserEndpoints

    var all: [Endpoint] {
        [
            Endpoint(
                .requestNewAddress, .post("/auth/email"), needs: [.mail, .links]
            ) { call, auth in
                let email = try call.body.email()
                let secret = try auth.requestNewAddress(email, call.caller)
                return Answer(202, LatchkeyBodies.mailSent(to: email, secret))
            },
            Endpoint(
                .undoAddressChange, .post("/auth/email/undo"), needs: [.mail],
                selectedBy: DirectSelector("token")
            ) { call, auth in
                try auth.undoAddressChange(token: try call.body.required("token"), call.caller)
                return .noContent
            },
            .guarded(
                by: users.administrator(for: .setUserEmail, .administrator), .setUserEmail,
                .put("\(users.path)/{id}/email"), needs: UserAction.setEmail.needs,
                selectedBy: DirectSelector("action", is: "setEmail")
            ) { call, administrator, auth in
                let (email, reason) = (try call.body.email(), try call.body.reason())
                try users.confirm(call, administrator, auth, for: .setUserEmail)
                let user = try auth.administerUser(
                    call.parameter("id"), .setEmail(email), because: reason, by: administrator,
                    call.caller)
                return Answer(users.user(user))
            },
        ]
    }
}

internal import AuthDomain
internal import AuthOperations
internal import JSON

/// The change of an account's e-mail address. `POST /auth/email/confirm` proves the new address.
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
            // The function of the endpoint above also serves this one, which needs the same
            // permissions.
            Endpoint(
                .undoMethodChange, .post("/auth/undo"), needs: [.mail],
                selectedBy: DirectSelector("action", is: "undo")
            ) { call, auth in
                try auth.undoMethodChange(token: try call.body.required("token"), call.caller)
                return .noContent
            },
            users.guarded(
                .setUserEmail, .put("\(users.path)/{id}/email"), UserAction.setEmail.role,
                needs: UserAction.setEmail.needs,
                selectedBy: DirectSelector("action", is: "setEmail")
            ) { call, administrator, auth in
                let change = try call.body.emailChange()
                let user = try auth.administerUser(
                    call.parameter("id"), change, because: try call.body.reason(),
                    by: administrator, call.caller)
                return Answer(users.user(user))
            },
        ]
    }
}

internal import AuthDomain
internal import AuthOperations
internal import JSON

/// Accounts without a way to sign in.
enum GuestEndpoints {
    static let all: [Endpoint] = [
        Endpoint(.createGuest, .post("/auth/guest"), needs: [.sessions, .hooks]) { call, auth in
            let device = try LatchkeyBodies.device(call.body)
            let tokens = try auth.createGuest(device, call.caller)
            return Answer(201, .object(LatchkeyBodies.session(tokens)))
        }
    ]
}

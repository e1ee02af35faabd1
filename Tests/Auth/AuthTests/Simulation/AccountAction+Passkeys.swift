import AuthDomain
import AuthOperations
import AuthTestSupport
import WebAuthnTestSupport

/// Each is two requests: the options, and the answer of the authenticator.
extension AccountAction {
    static func signUp(_ person: Int, with new: SoftwareAuthenticator) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            try ceremony {
                var passkey = new
                let tokens = try kit.signUp(with: &passkey, caller)
                return .passkey(passkey, tokens)
            }
        }
    }

    static func signIn(_ person: Int, with passkey: SoftwareAuthenticator) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            try ceremony {
                let result = try kit.signIn(with: passkey, caller)
                if case .session(let tokens) = result { return .passkey(passkey, tokens) }
                return outcome(result)
            }
        }
    }

    static func complete(
        _ person: Int, ticket: String, with passkey: SoftwareAuthenticator
    ) -> AccountAction {
        AccountAction(person) { kit, _ throws(AuthError) in
            try ceremony { .session(try kit.complete(ticket, with: passkey)) }
        }
    }

    static func add(
        _ new: SoftwareAuthenticator, by session: AccountSimulation.Held
    ) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            try ceremony {
                var passkey = new
                let begun = try kit.begin(.add(isConditional: false), caller)
                passkey.userHandle = begun.userHandle
                let response = try passkey.registration(begun.challenge).response
                _ = try kit.auth.addPasskey(
                    AddPasskey.Input(ceremony: begun.secret, response), caller)
                return .passkey(passkey, nil)
            }
        }
    }

    static func remove(
        _ passkey: SoftwareAuthenticator, by session: AccountSimulation.Held
    ) -> AccountAction {
        var action = AccountAction(session) { kit, caller throws(AuthError) in
            try ceremony {
                try kit.auth.removePasskey(try passkey.id, caller)
                return .done
            }
        }
        action.removed = RemovedPasskey(
            credentialID: passkey.credentialID, remover: session.access)
        return action
    }

    static func ceremony(
        _ body: () throws -> AccountOutcome
    ) throws(AuthError) -> AccountOutcome {
        do {
            return try body()
        } catch let error as AuthError {
            throw error
        } catch {
            preconditionFailure("the authenticator of the tests failed: \(error)")
        }
    }
}

/// A passkey whose sessions have ended, except for the one that removed it.
struct RemovedPasskey {
    let credentialID: [UInt8]
    /// The access token of that session.
    let remover: String
}

import AuthDomain
import AuthOperations
import AuthTestSupport
import Testing
import WebAuthnTestSupport

extension AccountAction {
    static func stepUp(
        by session: AccountSimulation.Held, password: String
    ) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            _ = try kit.auth.stepUp(.password(password), caller)
            return .done
        }
    }

    static func stepUp(
        by session: AccountSimulation.Held, app: OneTimePassword
    ) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            _ = try kit.auth.stepUp(.secondFactor(.code(kit.code(of: app))), caller)
            return .done
        }
    }

    static func stepUp(
        by session: AccountSimulation.Held, identity subject: String
    ) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            _ = try kit.auth.stepUp(.identity(proof(kit, "apple", subject, "")), caller)
            return .done
        }
    }

    static func stepUp(
        by session: AccountSimulation.Held, code: String, secret: String
    ) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            let answer = MailAnswer.code(code, requestSecret: secret)
            _ = try kit.auth.stepUp(.mail(answer, requestSecret: secret), caller)
            return .done
        }
    }

    static func stepUp(
        by session: AccountSimulation.Held, link: String, secret: String
    ) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            _ = try kit.auth.stepUp(.mail(.token(link), requestSecret: secret), caller)
            return .done
        }
    }

    /// - Parameter isForeign: whether it is the passkey of another person, which proves nothing.
    static func stepUp(
        by session: AccountSimulation.Held, with passkey: SoftwareAuthenticator, isForeign: Bool
    ) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            try ceremony {
                let begun = try kit.begin(.stepUp, caller)
                let response = try passkey.assertion(begun.challenge).response(
                    signedWith: passkey.key)
                _ = try kit.auth.stepUp(
                    .passkey(ceremony: begun.secret, response), caller)
                if isForeign { Issue.record("a step-up with the passkey of another person") }
                return .done
            }
        }
    }
}

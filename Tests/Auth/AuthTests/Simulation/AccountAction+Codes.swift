import AuthDomain
import AuthOperations
import AuthTestSupport

/// Codes in place of links: of any mail that the person has read, with any secret that the person
/// was answered.
extension AccountAction {
    static func verify(
        _ person: Int, code: String, secret: String, password: String
    ) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            let answer = MailAnswer.code(code, requestSecret: secret)
            return .session(
                try kit.auth.completeRegistration(answer, password: password, caller))
        }
    }

    static func resetPassword(
        _ person: Int, code: String, secret: String, password: String
    ) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            let answer = MailAnswer.code(code, requestSecret: secret)
            try kit.auth.resetPassword(answer, newPassword: password, caller)
            return .done
        }
    }

    static func redeemMagicLink(_ person: Int, code: String, secret: String) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            let input = RedeemMagicLink.Input(code: code, requestSecret: secret)
            return outcome(try kit.auth.redeemMagicLink(input, caller).result)
        }
    }
}

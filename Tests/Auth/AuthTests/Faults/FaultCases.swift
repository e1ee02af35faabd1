import AuthDomain
import AuthOperations
import AuthTestSupport
import KeyValueStore
import Time

extension FaultCase {
    static let all = sessions + passwords + factors + methods + administration

    private static let sessions = [
        FaultCase("challenge") { faults in
            {
                _ = try faults.auth.challenge(FaultKit.caller)
                return nil
            }
        },
        FaultCase("sign-in of a new account") { faults in
            let input = SignIn.Input(
                provider: "apple", idToken: faults.kit.proof("apple", "new").idToken)
            return { try faults.auth.signIn(input, FaultKit.caller).tokens?.access.reveal() }
        },
        FaultCase("sign-in of a known account") { faults in
            _ = try faults.kit.session(of: "known")
            let input = SignIn.Input(
                provider: "apple", idToken: faults.kit.proof("apple", "known").idToken)
            return { try faults.auth.signIn(input, FaultKit.caller).tokens?.access.reveal() }
        },
        FaultCase("sign-in with a nonce and an authorization code") { faults in
            var input = SignIn.Input(
                provider: "apple", idToken: faults.kit.proof("apple", "coded").idToken,
                nonce: try faults.auth.challenge(FaultKit.caller).nonce)
            input.authorizationCode = "code"
            let complete = input
            return { try faults.auth.signIn(complete, FaultKit.caller).tokens?.access.reveal() }
        },
        FaultCase("a guest") { faults in
            { try faults.auth.createGuest(DeviceClaim(), FaultKit.caller).access.reveal() }
        },
        FaultCase("refresh") { faults in
            let token = try faults.kit.session().refresh.reveal()
            return { try faults.auth.refresh(token, FaultKit.caller).access.reveal() }
        },
        FaultCase("me") { faults in
            let caller = faults.signed(try faults.kit.session())
            return {
                _ = try faults.auth.authenticate(caller, for: .me)
                return nil
            }
        },
        FaultCase("list sessions") { faults in
            let caller = faults.signed(try faults.kit.session())
            return {
                _ = try faults.kit.listSessions(caller)
                return nil
            }
        },
        FaultCase("revoke a session") { faults in
            let other = try faults.kit.session().session.text
            let caller = faults.signed(try faults.kit.session())
            return {
                try faults.kit.revokeSession(other, caller)
                return nil
            }
        },
        FaultCase("sign out everywhere") { faults in
            let tokens = try faults.kit.session()
            return {
                try faults.auth.signOut(
                    refreshToken: tokens.refresh.reveal(), scope: .all, faults.signed(tokens))
                return nil
            }
        },
        FaultCase("credentials") { faults in
            let caller = faults.signed(try faults.kit.session())
            return {
                _ = try faults.kit.credentials(.init(), caller)
                return nil
            }
        },
        FaultCase("export") { faults in
            let caller = faults.signed(try faults.kit.session())
            return {
                _ = try faults.auth.exportAccount(after: nil, caller)
                return nil
            }
        },
        FaultCase("delete the account") { faults in
            let caller = faults.signed(try faults.kit.session())
            return {
                try faults.auth.deleteAccount(
                    try faults.auth.authenticate(caller, for: .deleteAccount), caller)
                return nil
            }
        },
        FaultCase("notification of Apple") { faults in
            _ = try faults.kit.session(of: "notified")
            return {
                try faults.auth.receiveAppleNotification(
                    "consentRevoked|notified|1", FaultKit.caller)
                return nil
            }
        },
    ]

    private static let passwords = [
        FaultCase("register") { faults in
            let input = Register.Input(
                email: try faults.kit.email(), password: AuthKit.password)
            return {
                _ = try faults.auth.register(input, FaultKit.caller)
                return nil
            }
        },
        FaultCase("log in") { faults in
            _ = try faults.account()
            return { try faults.kit.logIn().access.reveal() }
        },
        FaultCase("forgot password") { faults in
            _ = try faults.account()
            let email = try faults.kit.email()
            return {
                try faults.auth.forgotPassword(email, FaultKit.caller)
                return nil
            }
        },
        FaultCase("reset password") { faults in
            _ = try faults.account()
            let email = try faults.kit.email()
            let token = try faults.mailed {
                try faults.auth.forgotPassword(email, FaultKit.caller)
            }
            return {
                try faults.auth.resetPassword(
                    token: token, newPassword: "another password", FaultKit.caller)
                return nil
            }
        },
        FaultCase("change password") { faults in
            let caller = faults.signed(try faults.account())
            return {
                try faults.auth.changePassword(
                    current: AuthKit.password, new: "another password", caller
                ).access.reveal()
            }
        },
        FaultCase("request a magic link") { faults in
            let email = try faults.kit.email()
            return {
                _ = try faults.auth.requestMagicLink(email, FaultKit.caller)
                return nil
            }
        },
        FaultCase("redeem a magic link") { faults in
            let email = try faults.kit.email()
            let secret = try faults.auth.requestMagicLink(email, FaultKit.caller)
            let input = RedeemMagicLink.Input(
                token: try faults.mailed {}, requestSecret: secret)
            return {
                guard
                    case .session(let tokens) = try faults.auth.redeemMagicLink(
                        input, FaultKit.caller
                    ).result
                else { return nil }
                return tokens.access.reveal()
            }
        },
        FaultCase("request a confirmation") { faults in
            let caller = faults.signed(try faults.unproven())
            return {
                _ = try faults.auth.requestAddressVerification(caller)
                return nil
            }
        },
        FaultCase("confirm the address") { faults in
            let caller = faults.signed(try faults.unproven())
            let token = try faults.mailed { _ = try faults.auth.requestAddressVerification(caller) }
            return {
                _ = try faults.auth.verifyAddress(token: token, caller)
                return nil
            }
        },
    ]

    private static let factors = [
        FaultCase("enrol an authenticator") { faults in
            let caller = faults.signed(try faults.account())
            return {
                _ = try faults.auth.enrolAuthenticator(caller)
                return nil
            }
        },
        FaultCase("confirm an authenticator") { faults in
            let tokens = try faults.account()
            let app = try faults.kit.enrol(tokens)
            let code = faults.kit.code(of: app)
            return {
                try faults.auth.confirmAuthenticator(code: code, faults.signed(tokens))
                    .tokens.access.reveal()
            }
        },
        FaultCase("complete a sign-in") { faults in
            let (_, app) = try faults.protected()
            let ticket = try faults.kit.ticket(try faults.kit.firstFactor())
            let code = faults.kit.code(of: app)
            return {
                try faults.auth.completeSignIn(ticket: ticket, .code(code), FaultKit.caller)
                    .access.reveal()
            }
        },
        FaultCase("replace the recovery codes") { faults in
            let (tokens, app) = try faults.protected()
            let code = faults.kit.code(of: app)
            return {
                _ = try faults.auth.replaceRecoveryCodes(code: code, faults.signed(tokens))
                return nil
            }
        },
        FaultCase("remove the authenticator") { faults in
            let (tokens, app) = try faults.protected()
            let code = faults.kit.code(of: app)
            return {
                try faults.auth.removeAuthenticator(.code(code), faults.signed(tokens))
                    .access.reveal()
            }
        },
    ]

    private static let methods = [
        FaultCase("link an identity") { faults in
            let caller = faults.signed(try faults.kit.session(of: "linked"))
            let input = LinkIdentity.Input(faults.kit.proof("google", "linked"))
            return {
                _ = try faults.auth.linkIdentity(input, caller)
                return nil
            }
        },
        FaultCase("merge a guest") { faults in
            _ = try faults.kit.signIn("google", "merged")
            let guest = try faults.kit.guest()
            let ticket = try faults.kit.offer("google", "merged", by: guest)
            let input = MergeAccounts.Input(
                .ticket(ticket), refreshToken: guest.refresh.reveal())
            return { try faults.auth.mergeAccounts(input, faults.signed(guest)).access.reveal() }
        },
        FaultCase("list the methods") { faults in
            let caller = faults.signed(try faults.kit.session())
            return {
                _ = try faults.auth.listMethods(caller)
                return nil
            }
        },
        FaultCase("add a password") { faults in
            let caller = faults.signed(try faults.kit.session())
            return {
                _ = try faults.auth.addPassword(AuthKit.password, email: nil, caller)
                return nil
            }
        },
        FaultCase("remove a method") { faults in
            let tokens = try faults.kit.session(of: "two methods")
            try faults.kit.link("google", "two methods", by: tokens)
            let caller = faults.signed(tokens)
            return { try faults.auth.removeMethod("google", caller).access.reveal() }
        },
    ]

    private static let administration = [
        FaultCase("administrator's log-in") { faults in
            {
                _ = try faults.auth.adminLogin(
                    password: "open sesame", FaultKit.caller)
                return nil
            }
        },
        FaultCase("disable an account") { faults in
            let user = try faults.kit.session().user.id.text
            return {
                _ = try faults.auth.administerUser(
                    user, .disable, by: .password, FaultKit.caller)
                return nil
            }
        },
        FaultCase("list the users") { faults in
            _ = try faults.kit.session()
            return {
                _ = try faults.auth.findUsers.all(limit: 10, after: nil)
                return nil
            }
        },
        FaultCase("list the audit log") { faults in
            let user = try faults.kit.session().user.id
            return {
                _ = try faults.auth.listAudit(of: user, limit: 10, after: nil)
                return nil
            }
        },
    ]
}

extension FaultKit {
    /// A session of an account whose address is not verified.
    fileprivate func unproven() throws -> SessionTokens {
        let tokens = try kit.session(of: "unproven")
        try kit.change(tokens.user.id) { $0.isEmailVerified = false }
        return tokens
    }

    /// A session of an account with an authenticator app, whose current code is unused.
    fileprivate func protected() throws -> (SessionTokens, OneTimePassword) {
        let first = try account()
        let app = try kit.enrol(first)
        let tokens = try auth.confirmAuthenticator(
            code: kit.code(of: app), signed(first)
        ).tokens
        clock.advance(by: .seconds(60))
        return (tokens, app)
    }
}

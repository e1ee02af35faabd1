// Accounts with passwords, for tests: cheap hashes, no limits.
extension Policy {
    static func passwords(
        _ registration: PasswordPolicy.Registration = .afterVerification(repeatsPassword: true)
    ) -> Policy {
        .testing.with {
            $0.accounts.claimsEmail = true
            $0.passwords = PasswordPolicy(
                rules: PasswordRules(charactersMin: 8),
                cost: PasswordCost(memoryKiB: 8, passes: 1, lanes: 1),
                registration: registration)
            $0.secondFactors = SecondFactorPolicy()
            $0.magicLinks = MagicLinkPolicy(createsAccounts: true, needsRequestSecret: true)
            $0.links = LinkPolicy(base: "https://app.example.com/auth")
        }
    }
}

extension AuthKit {
    static let password = "correct horse battery"

    func email(_ text: String = "ada@example.com") throws -> EmailAddress {
        guard let email = EmailAddress(parsing: text) else { throw KitFailure.noSession }
        return email
    }

    /// A new account, whichever registration the policy has.
    @discardableResult
    func account(_ text: String = "ada@example.com") throws -> User {
        let input = Register.Input(email: try email(text), password: Self.password)
        if case .created(let user) = try auth.register(input, Caller()) { return user }
        finishReply()
        let token = try mailedToken()
        return try auth.completeRegistration(token: token, password: Self.password, Caller()).user
    }

    func logIn(
        _ text: String = "ada@example.com", _ password: String = AuthKit.password
    ) throws -> SessionTokens {
        try firstFactor(text, password).tokens
    }

    /// The result of the first factor, by address and password.
    func firstFactor(
        _ text: String = "ada@example.com", _ password: String = AuthKit.password,
        _ caller: Caller = Caller()
    ) throws -> SignInResult {
        try auth.logIn(LogIn.Input(email: try email(text), password: password), caller)
    }

    @discardableResult
    func register(
        _ text: String = "ada@example.com", _ password: String = AuthKit.password
    ) throws -> Register.Output {
        try auth.register(Register.Input(email: try email(text), password: password), Caller())
    }

    /// Has a mail sent with which a new password is chosen.
    @discardableResult
    func askForReset(_ text: String = "ada@example.com") throws -> String? {
        let secret = try auth.forgotPassword(try email(text), Caller())
        finishReply()
        return secret
    }

    func reset(_ token: String, to password: String) throws {
        try auth.resetPassword(token: token, newPassword: password, Caller())
    }

    /// A mailed link to sign in, as the app that asked for it has it.
    func magicLink(_ text: String = "ada@example.com") throws -> RedeemMagicLink.Input {
        let secret = try auth.requestMagicLink(try email(text), Caller())
        finishReply()
        return RedeemMagicLink.Input(token: try mailedToken(), requestSecret: secret)
    }

    /// The token of the link in the latest mail.
    func mailedToken() throws -> String {
        guard let link = mail.mails.last?.values["link"],
            let start = link.lastIndex(of: "=")
        else { throw KitFailure.noSession }
        return String(link[link.index(after: start)...])
    }

    /// The error of an operation; nil when it succeeds.
    func error(of operation: () throws -> Void) -> AuthError? {
        do {
            try operation()
            return nil
        } catch {
            return error as? AuthError
        }
    }
}

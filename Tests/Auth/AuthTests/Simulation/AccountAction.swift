import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import Bytes
import Cryptography
import TestSupport
import Testing
import WebAuthnTestSupport

/// The result of one request. `nothing`: the process died, or its response was lost.
enum AccountOutcome: Sendable {
    case session(SessionTokens)
    /// The ticket for the second factor.
    case ticket(String)
    /// An authenticator app that is not confirmed yet.
    case app(OneTimePassword)
    /// The ticket for a merge, and the session that can use it.
    case offer(String, AccountSimulation.Held)
    /// The request secret of a mailed link.
    case secret(String)
    /// A code of the pages, its verifier, and the session that it stands for.
    case code(String, String, SessionTokens)
    /// The code that was exchanged, and its session.
    case redeemed(String, SessionTokens)
    /// A passkey that was made or used, and the session that it began.
    case passkey(SoftwareAuthenticator, SessionTokens?)
    case done
    case refused(AuthError)
    case nothing

    var isSuccess: Bool {
        switch self {
        case .session, .ticket, .app, .offer, .secret, .code, .redeemed, .passkey, .done: true
        case .refused, .nothing: false
        }
    }
}

/// A request of a person.
struct AccountAction: Sendable {
    typealias Run = @Sendable (AuthKit, Caller) throws(AuthError) -> AccountOutcome

    let person: Int
    /// The account whose earlier sessions have ended if this succeeded.
    var ends: UserID?
    /// The passkey whose sessions have ended if this succeeded.
    var removed: RemovedPasskey?
    let run: Run

    init(_ person: Int, ends: UserID? = nil, _ run: @escaping Run) {
        self.person = person
        self.ends = ends
        self.run = run
    }

    /// A request with the tokens of a session of the person.
    init(
        _ session: AccountSimulation.Held, endsOthers: Bool = false, _ run: @escaping Run
    ) {
        self.init(session.person, ends: endsOthers ? session.user : nil) {
            kit, caller throws(AuthError) in
            try run(kit, Caller(address: caller.address, bearerText: session.access))
        }
    }

    /// Whether a session from before the request has ended, if the request succeeded.
    func hasEnded(_ session: AccountSimulation.Held) -> Bool {
        if let ends, session.user == ends { return true }
        guard let removed else { return false }
        return session.passkey == removed.credentialID && session.access != removed.remover
    }

    func perform(_ kit: AuthKit) -> AccountOutcome {
        do throws(AuthError) {
            return try run(kit, Caller(address: "192.0.2.\(person + 1)"))
        } catch {
            switch error {
            case .unavailable, .fault: return .nothing
            default: return .refused(error)
            }
        }
    }

    static func email(_ text: String) -> EmailAddress {
        guard let email = EmailAddress(parsing: text) else {
            preconditionFailure("not an address: \(text)")
        }
        return email
    }

    static func proof(_ kit: AuthKit, _ provider: String, _ subject: String, _ email: String)
        -> IdentityProof
    {
        let serial = Hex.encode(kit.auth.random.bytes(8))
        return IdentityProof(
            provider: provider, idToken: "\(provider)|\(subject)|\(email)|\(serial)")
    }

    /// Apple's tokens are kept.
    private static func code(_ kit: AuthKit, _ provider: String) -> String? {
        provider == "apple" ? Hex.encode(kit.auth.random.bytes(8)) : nil
    }

    static func outcome(_ result: SignInResult) -> AccountOutcome {
        switch result {
        case .session(let tokens): .session(tokens)
        case .secondFactorRequired(let ticket): .ticket(ticket.reveal())
        }
    }
}

// MARK: Passwords and sign-ins

extension AccountAction {
    static func register(_ person: Int, address: String, password: String) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            let input = Register.Input(email: email(address), password: password)
            let secret = try kit.auth.register(input, caller).requestSecret
            return secret.map(AccountOutcome.secret) ?? .done
        }
    }

    static func verify(_ person: Int, link: String, password: String) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            .session(try kit.auth.completeRegistration(token: link, password: password, caller))
        }
    }

    static func logIn(_ person: Int, address: String, password: String) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            let input = LogIn.Input(email: email(address), password: password)
            let result = try kit.auth.logIn(input, caller)
            if case .session(let tokens) = result {
                expectEqual(tokens.user.login, address, "a former address signs in")
            }
            return outcome(result)
        }
    }

    static func signIn(
        _ person: Int, by provider: String = "apple", subject: String, email: String
    ) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            let proof = proof(kit, provider, subject, email)
            var input = SignIn.Input(provider: provider, idToken: proof.idToken)
            input.authorizationCode = code(kit, provider)
            let output = try kit.signIn(.plainText)(input, caller)
            return outcome(output.result)
        }
    }

    static func refresh(_ person: Int, _ token: String) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            .session(try kit.auth.refresh(token, caller))
        }
    }

    static func forgotPassword(_ person: Int, address: String) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            let secret = try kit.auth.forgotPassword(email(address), caller)
            return secret.map(AccountOutcome.secret) ?? .done
        }
    }

    static func resetPassword(_ person: Int, link: String, password: String) -> AccountAction {
        AccountAction(person, ends: AccountLink(parsing: link)?.user) {
            kit, caller throws(AuthError) in
            try kit.auth.resetPassword(token: link, newPassword: password, caller)
            return .done
        }
    }

    static func changePassword(
        by session: AccountSimulation.Held, current: String, new: String
    ) -> AccountAction {
        AccountAction(session, endsOthers: true) { kit, caller throws(AuthError) in
            .session(try kit.auth.changePassword(current: current, new: new, caller))
        }
    }

    static func signOutEverywhere(by session: AccountSimulation.Held) -> AccountAction {
        AccountAction(session, endsOthers: true) { kit, caller throws(AuthError) in
            try kit.auth.signOut(refreshToken: nil, scope: .all, caller)
            return .done
        }
    }

    static func administer(_ user: UserID, _ change: AdministerUser.Change) -> AccountAction {
        let ends: UserID? =
            switch change {
            case .disable, .signOut: user
            default: nil
            }
        return AccountAction(-1, ends: ends) { kit, caller throws(AuthError) in
            _ = try kit.auth.administerUser(user.text, change, by: .password, caller)
            return .done
        }
    }
}

// MARK: Mailed links, and ways to sign in

extension AccountAction {
    static func requestMagicLink(_ person: Int, address: String) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            .secret(try kit.auth.requestMagicLink(email(address), caller))
        }
    }

    static func redeemMagicLink(_ person: Int, link: String, secret: String) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            let input = RedeemMagicLink.Input(token: link, requestSecret: secret)
            return outcome(try kit.auth.redeemMagicLink(input, caller).result)
        }
    }

    static func requestConfirmation(by session: AccountSimulation.Held) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            let secret = try kit.auth.requestAddressVerification(caller).requestSecret
            return secret.map(AccountOutcome.secret) ?? .done
        }
    }

    static func confirmEmail(by session: AccountSimulation.Held, link: String) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            _ = try kit.auth.verifyAddress(token: link, caller)
            return .done
        }
    }

    static func link(
        by session: AccountSimulation.Held, _ provider: String, subject: String
    ) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            let proof = proof(kit, provider, subject, "")
            let input = LinkIdentity.Input(
                proof, authorizationCode: code(kit, provider))
            switch try kit.auth.linkIdentity(input, caller) {
            case .added: return .done
            case .inUse(let ticket): return .offer(ticket.reveal(), session)
            }
        }
    }

    static func removeMethod(by session: AccountSimulation.Held, _ name: String) -> AccountAction {
        AccountAction(session, endsOthers: true) { kit, caller throws(AuthError) in
            .session(try kit.auth.removeMethod(name, caller))
        }
    }

    static func addPassword(
        by session: AccountSimulation.Held, address: String, _ password: String
    ) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            let output = try kit.auth.addPassword(password, email: email(address), caller)
            guard case .linkSent(_, let secret?) = output else { return .done }
            return .secret(secret)
        }
    }

    static func confirmPassword(
        by session: AccountSimulation.Held, link: String
    ) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            _ = try kit.auth.completeAddPassword(token: link, caller)
            return .done
        }
    }
}

// MARK: Second factor, and deletion

extension AccountAction {
    static func enrolApp(by session: AccountSimulation.Held) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            .app(try kit.auth.enrolAuthenticator(caller).password)
        }
    }

    static func confirmApp(
        by session: AccountSimulation.Held, _ app: OneTimePassword
    ) -> AccountAction {
        AccountAction(session, endsOthers: true) { kit, caller throws(AuthError) in
            .session(try kit.auth.confirmAuthenticator(code: kit.code(of: app), caller).tokens)
        }
    }

    static func removeApp(
        by session: AccountSimulation.Held, _ app: OneTimePassword
    ) -> AccountAction {
        AccountAction(session, endsOthers: true) { kit, caller throws(AuthError) in
            .session(try kit.auth.removeAuthenticator(.code(kit.code(of: app)), caller))
        }
    }

    static func completeSignIn(
        _ person: Int, ticket: String, _ app: OneTimePassword
    ) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            .session(
                try kit.auth.completeSignIn(ticket: ticket, .code(kit.code(of: app)), caller))
        }
    }

    static func delete(by session: AccountSimulation.Held) -> AccountAction {
        AccountAction(session, endsOthers: true) { kit, caller throws(AuthError) in
            let principal = try kit.auth.authenticate(caller, for: .deleteAccount)
            try kit.auth.deleteAccount(principal, caller)
            return .done
        }
    }

    static func keepHouse() -> AccountAction {
        AccountAction(-1) { kit, _ throws(AuthError) in
            _ = try kit.auth.housekeeping(
                [.sendDueMail, .sweepGuests, .finishMerges, .finishDeletions, .sendDueWebhooks],
                until: nil)
            return .done
        }
    }
}

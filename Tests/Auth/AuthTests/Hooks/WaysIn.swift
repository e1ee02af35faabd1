import Testing
import WebAuthnTestSupport

/// Each way to a new session. `prepare` does what comes before, and returns the last request.
struct WayIn: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether the request makes the account.
    var isSignUp = false
    let methods: [ProofMethod]
    let prepare: @Sendable (AuthKit) throws -> (Caller) throws -> Void

    var testDescription: String { name }

    static let all: [WayIn] = [
        WayIn(name: "password", methods: [.password]) { kit in
            try kit.account()
            return { _ = try kit.firstFactor("ada@example.com", AuthKit.password, $0) }
        },
        WayIn(name: "registration", methods: [.password, .mailedLink]) { kit in
            _ = try kit.register("ada@example.com")
            kit.finishReply()
            let token = try kit.mailedToken()
            return {
                _ = try kit.auth.completeRegistration(token: token, password: AuthKit.password, $0)
            }
        },
        WayIn(name: "provider, new", isSignUp: true, methods: [.identityProvider]) { kit in
            { _ = try kit.auth.signIn(Self.identity("new"), $0) }
        },
        WayIn(name: "provider, known", methods: [.identityProvider]) { kit in
            _ = try kit.auth.signIn(Self.identity("first"), Caller())
            return { _ = try kit.auth.signIn(Self.identity("second"), $0) }
        },
        WayIn(name: "mailed link, new", isSignUp: true, methods: [.mailedLink]) { kit in
            try Self.magicLink(kit)
        },
        WayIn(name: "mailed link, known", methods: [.mailedLink]) { kit in
            try kit.account()
            return try Self.magicLink(kit)
        },
        WayIn(name: "guest", isSignUp: true, methods: [.guest]) { kit in
            { _ = try kit.guest($0) }
        },
        WayIn(name: "passkey, new", isSignUp: true, methods: [.passkey]) { kit in
            let begun = try kit.begin(.signUp(email: nil, name: nil))
            var passkey = try SoftwareAuthenticator()
            passkey.userHandle = begun.userHandle
            let input = SignUpWithPasskey.Input(
                ceremony: begun.secret, try passkey.registration(begun.challenge).response)
            return { _ = try kit.auth.signUpWithPasskey(input, $0) }
        },
        WayIn(name: "passkey, known", methods: [.verifiedPasskey]) { kit in
            var passkey = try SoftwareAuthenticator()
            _ = try kit.signUp(with: &passkey)
            let known = passkey
            return { _ = try kit.signIn(with: known, $0) }
        },
        WayIn(name: "merge", methods: [.identityProvider]) { kit in
            _ = try kit.signIn("google", "ada", "ada@example.com")
            let guest = try kit.guest()
            let input = MergeAccounts.Input(
                .ticket(try kit.offer(by: guest)), refreshToken: guest.refresh.reveal())
            return { caller in
                var signedIn = Caller(
                    address: caller.address, userAgent: caller.userAgent,
                    language: caller.language, bearer: .token(guest.access.reveal()))
                signedIn.botProof = caller.botProof
                _ = try kit.auth.mergeAccounts(input, signedIn)
            }
        },
        WayIn(name: "code after a password", methods: [.password, .authenticatorApp]) { kit in
            let (app, ticket) = try Self.waiting(kit)
            return { _ = try kit.auth.completeSignIn(ticket: ticket, .code(kit.code(of: app)), $0) }
        },
        WayIn(name: "passkey after a password", methods: [.password, .verifiedPasskey]) { kit in
            let tokens = try Self.protected(kit).tokens
            var passkey = try SoftwareAuthenticator()
            try kit.add(&passkey, by: tokens)
            let ticket = try kit.ticket(try kit.firstFactor())
            let begun = try kit.begin(.secondFactor(ticket: ticket))
            let response = try passkey.assertion(begun.challenge)
                .response(signedWith: passkey.key)
            return {
                _ = try kit.auth.completeSignInWithPasskey(
                    ticket: ticket, ceremony: begun.secret, response, $0)
            }
        },
    ]

    private static func identity(_ serial: String) -> SignIn.Input {
        SignIn.Input(provider: "apple", idToken: "apple|001|ada@example.com|\(serial)")
    }

    /// An account with an authenticator app, and the session that confirmed it.
    static func protected(_ kit: AuthKit) throws -> (app: OneTimePassword, tokens: SessionTokens) {
        try kit.provenAccount()
        let session = try kit.logIn()
        let app = try kit.enrol(session)
        let output = try kit.auth.confirmAuthenticator(
            code: kit.code(of: app), ProtectedAccount.caller(session))
        // The code that confirmed the app is used.
        kit.clock.advance(by: .seconds(60))
        return (app, output.tokens)
    }

    private static func waiting(_ kit: AuthKit) throws -> (app: OneTimePassword, ticket: String) {
        let app = try protected(kit).app
        return (app, try kit.ticket(try kit.firstFactor()))
    }

    private static func magicLink(_ kit: AuthKit) throws -> (Caller) throws -> Void {
        let input = try kit.magicLink("ada@example.com")
        return { _ = try kit.auth.redeemMagicLink(input, $0) }
    }
}

package import AuthDomain
package import AuthOperations
package import AuthRecords
import Bytes
package import Cryptography
import IdentityProviders
import JOSE
package import KeyValueStore
package import Time

/// The real operations with a given store, a manual clock, seeded randomness, and fake identity
/// providers whose tokens are plain text.
package final class AuthKit: Sendable {
    package let clock: TestClock
    package let store: any KeyValueStore
    package let auth: AuthServices
    /// Receives the mail that `PreparedMail.deliver` sends when `finishReply` is called.
    package let mail: FakeMailSystem
    /// The objects and the provider tokens of deleted accounts.
    package let erasure: FakeErasure

    private let secrets: AuthServices.Secrets
    private let storage: StorageServices?
    private let mailServices: MailServices
    private let passkeys: PasskeyServices
    private let webhooks: WebhookServices?
    private let hooks: HookServices?
    package let auditKeys: AuditKeys

    /// - Parameters:
    ///   - signingKeys: nil for one configured HS256 key, because a simulation signs a hundred
    ///     thousand tokens.
    ///   - sender: replaces the sender of `mail`.
    ///   - oauth: the provider, which signs with the same keys.
    ///   - secret: the value of each of the 32 bytes of the master key.
    package init(
        policy: Policy = .testing, clock: TestClock = TestClock(),
        store: (any KeyValueStore)? = nil, signingKeys: SigningKeys? = nil,
        identityProviders: IdentityProviderGateway = .plainText, storage: StorageServices? = nil,
        issuer: String = "https://auth.example.com", secret: UInt8 = 7,
        master given: MasterKey? = nil, seed: UInt64 = 1,
        mail: FakeMailSystem = FakeMailSystem(), mailDelivery: MailServices.Delivery = .afterReply,
        hasMail: Bool = true, erasure: FakeErasure = FakeErasure(),
        breachedPasswords: BreachedPasswords? = nil, passkeys: PasskeyServices? = nil,
        webhooks: WebhookServices? = nil,
        hooks: HookServices? = nil, sender: MailSender? = nil,
        oauth: ((SigningKeys) throws -> OAuthServices)? = nil,
        pause: @escaping @Sendable (Span) -> Void = { _ in },
        onPasswordWork: @escaping @Sendable (PasswordWork) -> Void = { _ in },
        passwordClock: (@Sendable () -> Int)? = nil,
        hashingLimit: HashingLimit = .none,
        reportHousekeeping: @escaping @Sendable (HousekeepingNotice) -> Void = { _ in }
    ) throws {
        self.erasure = erasure
        self.mail = mail
        self.clock = clock
        self.store = store ?? MemoryStore(clock: clock.wall)
        self.storage = storage
        self.passkeys = try passkeys ?? .testing()
        self.webhooks = webhooks
        self.hooks = hooks
        let random = RandomSource.seeded(seed)
        let master = try given ?? Self.masterKey(secret)
        auditKeys = AuditKeys(master.audit, others: master.previous.map(\.audit))
        secrets = try AuthServices.Secrets(master, policy.sessions.refreshTokens, random: random)
        mailServices = MailServices(
            sealing: try master.sealing { $0.mail }, sender: sender ?? mail.sender,
            delivery: mailDelivery, report: { mail.report($0) })
        var optional = OptionalServices(
            secrets: secrets, identityProviders: identityProviders, storage: storage,
            mail: hasMail ? mailServices : nil, adminPassword: Self.adminPassword,
            auditKeys: auditKeys, erasure: erasure.services)
        optional.breachedPasswords = breachedPasswords
        optional.passkeys = self.passkeys
        optional.webhooks = webhooks
        optional.hooks = hooks
        optional.pause = pause
        optional.spendPasswordWork = { work, password throws(CryptoFailure) in
            onPasswordWork(work)
            try work.spend(on: password)
        }
        if let passwordClock {
            optional.wrongPasswordTime = WrongPasswordTime(clock: passwordClock)
        }
        optional.hashingLimit = hashingLimit
        optional.reportHousekeeping = reportHousekeeping
        let keys = try signingKeys ?? SigningKeys(configured: Self.signingKey)
        optional.oauth = try oauth?(keys)
        auth = AuthServices(
            store: self.store, clock: clock.wall, random: random, policy: policy, issuer: issuer,
            signingKeys: keys, optional)
    }

    /// Does what a host does after a reply: sends the mail of the operations so far.
    package func finishReply() { auth.afterReply.run(until: nil) }

    package static func masterKey(_ byte: UInt8 = 7) throws -> MasterKey {
        guard let key = MasterKey(SecretBytes([UInt8](repeating: byte, count: 32))) else {
            throw KitFailure.noMasterKey
        }
        return key
    }

    private static var signingKey: SigningKey {
        get throws { try SigningKey.secret(SecretBytes([UInt8](repeating: 42, count: 32))) }
    }

    private static var adminPassword: AdminPassword {
        AdminPassword(plain: SecretBytes(utf8: "open sesame"))
    }

    package enum KitFailure: Error { case noSession, noMasterKey, noBucket }
}

// The operations by name.
extension AuthKit {
    package var refresh: RefreshSession { auth.refresh }
    package var signOut: SignOut { auth.signOut }
    package var authorize: Authorize { auth.authorize }
    package var publishKeys: PublishKeys { auth.publishKeys }

    package func signIn(_ gateway: IdentityProviderGateway) -> SignIn {
        services(with: gateway).signIn
    }

    package func challenge(_ caller: Caller) throws(AuthError) -> Challenge {
        try auth.challenge(caller)
    }

    package func authenticate(_ bearer: String?) throws(AuthError) -> Principal {
        try auth.authenticate(Caller(bearerText: bearer), for: .me)
    }

    // These authenticate first, as their endpoints do.

    package func listSessions(_ caller: Caller) throws(AuthError) -> Sessions {
        try auth.listSessions(try auth.authenticate(caller, for: .listSessions))
    }

    package func revokeSession(_ id: String, _ caller: Caller) throws(AuthError) {
        try auth.revokeSession(id, try auth.authenticate(caller, for: .revokeSession), caller)
    }

    package func credentials(
        _ input: IssueCredentials.Input, _ caller: Caller
    ) throws(AuthError) -> StorageCredentials {
        try auth.credentials(input, try auth.authenticate(caller, for: .credentials), caller)
    }

    /// Signs `subject` in with a new token.
    package func session(
        of subject: String = "001", _ caller: Caller = Caller()
    ) throws -> SessionTokens {
        let token = "apple|\(subject)|\(subject)@example.com|\(Hex.encode(auth.random.bytes(8)))"
        let input = SignIn.Input(provider: "apple", idToken: token)
        let output = try signIn(.plainText)(input, caller)
        guard let tokens = output.tokens else { throw KitFailure.noSession }
        return tokens
    }

    /// The same services with another identity provider gateway.
    package func services(with gateway: IdentityProviderGateway) -> AuthServices {
        var optional = OptionalServices(
            secrets: secrets, identityProviders: gateway, storage: storage, mail: mailServices,
            adminPassword: Self.adminPassword, auditKeys: auditKeys, erasure: erasure.services)
        optional.passkeys = passkeys
        optional.webhooks = webhooks
        optional.hooks = hooks
        return AuthServices(
            store: store, clock: clock.wall, random: auth.random, policy: auth.policy,
            issuer: auth.issuer, signingKeys: auth.signingKeys, optional)
    }
}

extension Caller {
    /// - Parameter bearerText: the access token of the request, if any.
    package init(address: String? = nil, userAgent: String? = nil, bearerText: String?) {
        self.init(
            address: address, userAgent: userAgent, bearer: bearerText.map { .token($0) } ?? .none)
    }
}

extension Policy {
    /// The policy of `latchkey` with HS256 and without limits.
    package static let testing = Policy(
        sessions: SessionPolicy(
            idleLifetime: .days(30), absoluteLifetime: .days(365),
            rotation: .everyUse(grace: .seconds(60)),
            refreshTokens: .selfContained(prefix: "lkr_")),
        accessTokens: AccessTokenPolicy(
            lifetime: .minutes(15), algorithm: .hs256, type: "at+jwt", includesKeyID: false,
            audience: "latchkey"),
        identity: IdentityPolicy(nonce: .issued, keepsTokens: true), limits: [])

    package func with(_ change: (inout Policy) -> Void) -> Policy {
        var policy = self
        change(&policy)
        return policy
    }
}

extension IdentityProviderGateway {
    /// Accepts tokens of the form `provider|subject|email|serial`; real verification has its own
    /// tests. An authorization code is exchanged for a refresh token of the same text.
    package static let plainText = IdentityProviderGateway(
        providers: ["apple", "google"],
        verify: { provider, token, _, now throws(IdentityFailure) in
            let parts = token.split(separator: "|", omittingEmptySubsequences: false)
            guard parts.count == 4, parts[0] == provider else { throw .invalidIDToken }
            return VerifiedIdentity(
                provider: provider, issuer: "https://\(provider).example.com",
                subject: String(parts[1]), email: parts[2].isEmpty ? nil : String(parts[2]),
                isEmailVerified: true, isPrivateEmail: false, displayName: nil,
                realUserStatus: nil, transferSubject: nil, audience: "com.example.app",
                tokenFingerprint: SHA256.hash(Array(token.utf8)), tokenIssuedAt: now,
                tokenExpiresAt: now + .minutes(10), nonceWasChecked: true)
        },
        exchange: { code, _, _ in .granted(refreshToken: SecretBytes(utf8: code)) },
        readNotification: { payload, now throws(IdentityFailure) in
            try .plainText(payload, at: now)
        })
}

extension AppleNotification {
    private static let events: [String: Event] = [
        "consentRevoked": .consentRevoked, "accountDeleted": .accountDeleted,
        "emailDisabled": .emailDisabled, "emailEnabled": .emailEnabled, "other": .other,
    ]

    /// `event|subject|id`, as of now.
    fileprivate static func plainText(
        _ payload: String, at now: Instant
    ) throws(IdentityFailure) -> AppleNotification {
        let parts = payload.split(separator: "|").map(String.init)
        guard parts.count == 3, let event = events[parts[0]] else { throw .invalidSignature }
        return AppleNotification(
            event, issuer: "https://apple.example.com", subject: parts[1], occurredAt: now,
            id: parts[2], validUntil: now + .days(7))
    }
}

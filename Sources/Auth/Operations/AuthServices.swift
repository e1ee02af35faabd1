package import AuthDomain
package import AuthRecords
internal import Bytes
package import Cryptography
package import JOSE
package import KeyValueStore
package import Time

/// The dependencies of operations. Each operation is a member of this class, declared at the end of
/// its own file, so that creating one costs nothing until it is called.
package final class AuthServices: Sendable {
    package let store: AuthStore
    package let clock: WallClock
    package let random: RandomSource
    package let policy: Policy
    /// The `iss` of access tokens, and the base URL of the discovery document.
    package let issuer: String
    package let signingKeys: SigningKeys
    /// Work that is run after the reply.
    package let afterReply: AfterReply
    package let logFacts: LogFacts

    private let optional: OptionalServices
    private let afterReplyShare: ThreadShare

    /// The values derived from the master key.
    package struct Secrets: Sendable {
        package let refreshTokens: RefreshTokenDeriver
        /// The refresh tokens of third-party clients. They have another prefix. The MAC of a token
        /// covers the prefix, so neither kind is accepted as the other.
        let grantTokens: RefreshTokenDeriver
        package let providerTokens: ProviderTokenStore
        package let secondFactors: SecondFactorSealing
        package let passkeys: PasskeySealing
        let proofNonces: ProofNonces

        let keyIDs: MasterKeyIDs

        /// - Parameter signingKey: the operator's key, for refresh tokens of the form `.jwt`.
        package init(
            _ master: MasterKey, _ form: RefreshTokenForm, signingKey: SigningKey? = nil,
            random: RandomSource
        ) throws(CryptoFailure) {
            refreshTokens = RefreshTokenDeriver(master, form: form, signingKey: signingKey)
            grantTokens = RefreshTokenDeriver(master, form: .selfContained(prefix: "lko_"))
            providerTokens = try ProviderTokenStore(master, random: random)
            secondFactors = try SecondFactorSealing(master, random: random)
            passkeys = try PasskeySealing(master, random: random)
            proofNonces = ProofNonces(master)
            keyIDs = MasterKeyIDs(current: master.id, previous: master.previous.map(\.id))
        }
    }

    package convenience init(
        store: any KeyValueStore, clock: WallClock, random: RandomSource, policy: Policy,
        issuer: String, signingKeys: SigningKeys, _ optional: OptionalServices
    ) {
        self.init(
            store: AuthStore(store), clock: clock, random: random, policy: policy, issuer: issuer,
            signingKeys: signingKeys, optional, ThreadShare(divisor: 4))
    }

    private init(
        store: AuthStore, clock: WallClock, random: RandomSource, policy: Policy,
        issuer: String, signingKeys: SigningKeys, _ optional: OptionalServices,
        _ afterReplyShare: ThreadShare, afterReply: AfterReply? = nil,
        logFacts: LogFacts = LogFacts()
    ) {
        self.store = store
        self.clock = clock
        self.random = random
        self.policy = policy
        self.issuer = issuer
        self.signingKeys = signingKeys
        self.optional = optional
        self.afterReplyShare = afterReplyShare
        self.afterReply = afterReply ?? AfterReply(afterReplyShare)
        self.logFacts = logFacts
    }

    /// The same services for another thread, with separate state for its requests.
    ///
    /// - Parameter answersRequests: whether the thread counts towards the thread shares.
    package func forAnotherThread(answersRequests: Bool = true) -> AuthServices {
        if answersRequests {
            optional.hashingLimit.addThread()
            afterReplyShare.addThread()
            optional.hooks?.addThread()
        }
        return AuthServices(
            store: store, clock: clock, random: random, policy: policy, issuer: issuer,
            signingKeys: signingKeys, optional, afterReplyShare)
    }

    /// The same services for one request, whose store calls are measured.
    package func measured(by meter: StoreMeter) -> AuthServices {
        var optional = optional
        optional.oauth = optional.oauth?.measured(by: meter)
        return AuthServices(
            store: store.measured(by: meter), clock: clock, random: random, policy: policy,
            issuer: issuer, signingKeys: signingKeys.measured(by: meter), optional,
            afterReplyShare, afterReply: afterReply, logFacts: logFacts)
    }
}

extension AuthServices {
    package var refreshTokens: RefreshTokenDeriver {
        get throws(AuthError) { try configured(optional.secrets?.refreshTokens) }
    }
    var grantTokens: RefreshTokenDeriver {
        get throws(AuthError) { try configured(optional.secrets?.grantTokens) }
    }
    package var providerTokens: ProviderTokenStore {
        get throws(AuthError) { try configured(optional.secrets?.providerTokens) }
    }
    var masterKeyIDs: MasterKeyIDs {
        get throws(AuthError) { try configured(optional.secrets?.keyIDs) }
    }
    var secondFactors: SecondFactorSealing {
        get throws(AuthError) { try configured(optional.secrets?.secondFactors) }
    }
    var proofNonces: ProofNonces? { optional.secrets?.proofNonces }
    var passkeySealing: PasskeySealing {
        get throws(AuthError) { try configured(optional.secrets?.passkeys) }
    }
    package var passkeys: PasskeyServices {
        get throws(AuthError) {
            guard let passkeys = optional.passkeys else { throw .notConfigured(.passkeys) }
            return passkeys
        }
    }
    package var identityProviders: IdentityProviderGateway {
        get throws(AuthError) { try configured(optional.identityProviders) }
    }
    package var storage: StorageServices {
        get throws(AuthError) { try configured(optional.storage) }
    }
    package var mail: MailServices {
        get throws(AuthError) { try configured(optional.mail) }
    }
    /// Whether notices can be sent (`ServiceNeeds.notices`).
    var hasMail: Bool { optional.mail != nil }
    package var adminPassword: AdminPassword {
        get throws(AuthError) { try configured(optional.adminPassword) }
    }
    package var auditKeys: AuditKeys {
        get throws(AuthError) { try configured(optional.auditKeys) }
    }

    var hashingLimit: HashingLimit { optional.hashingLimit }
    /// How many operations that hash a password a server begins at once: one more than can hash at
    /// once, so that the next operation has already read its account when a hash ends.
    package var hashingAtOnceMax: Int { hashingLimit.slots() + 1 }

    var breachedPasswords: BreachedPasswords? { optional.breachedPasswords }

    var hooks: HookServices? { optional.hooks }

    var wrongPasswordTime: WrongPasswordTime { optional.wrongPasswordTime }
    var spendPasswordWork: @Sendable (PasswordWork, SecretBytes) throws(CryptoFailure) -> Void {
        optional.spendPasswordWork
    }

    func pause(_ span: Span) { optional.pause(span) }

    var webhooks: WebhookServices? { optional.webhooks }

    var housekeepingInterval: Span? { optional.housekeepingInterval }

    package var activity: Activity? { optional.activity }

    /// nil unless `OAUTH` is on.
    package var oauthIfOn: OAuthServices? { optional.oauth }

    var revocationMemory: RevocationMemory { optional.revocations }

    var findSetting: DeploymentSetting.Find { optional.findSetting }

    package var settingsFiles: SettingsFiles { optional.settingsFiles }

    func report(_ notice: HousekeepingNotice) { optional.reportHousekeeping(notice) }

    package var erasure: ErasureServices {
        get throws(AuthError) { try configured(optional.erasure) }
    }

    private func configured<Service>(_ service: Service?) throws(AuthError) -> Service {
        guard let service else { throw .fault(.serviceNotConfigured) }
        return service
    }

    package var accessTokens: AccessTokens { AccessTokens(auth: self) }
}

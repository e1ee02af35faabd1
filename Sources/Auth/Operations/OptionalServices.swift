package import AuthRecords
package import Bytes
package import Cryptography
package import Time

/// Services that only some endpoints need (`Endpoint.needs`), and that are built only for those.
package struct OptionalServices: Sendable {
    package var secrets: AuthServices.Secrets?
    package var identityProviders: IdentityProviderGateway?
    package var passkeys: PasskeyServices?
    package var storage: StorageServices?
    package var mail: MailServices?
    package var adminPassword: AdminPassword?
    package var erasure: ErasureServices?
    package var hashingLimit = HashingLimit.none
    package var breachedPasswords: BreachedPasswords?
    package var reportHousekeeping: @Sendable (HousekeepingNotice) -> Void = { _ in }
    package var auditKeys: AuditKeys?
    /// Does the same work as verifying a password, without having a hash.
    package var spendPasswordWork:
        @Sendable (PasswordWork, SecretBytes) throws(CryptoFailure) -> Void = {
            work, password throws(CryptoFailure) in try work.spend(on: password)
        }
    /// Sleeps between the attempts of an operation that lost a race.
    package var pause: @Sendable (Span) -> Void = { _ in }

    package init(
        secrets: AuthServices.Secrets? = nil, identityProviders: IdentityProviderGateway? = nil,
        storage: StorageServices? = nil, mail: MailServices? = nil,
        adminPassword: AdminPassword? = nil, auditKeys: AuditKeys? = nil,
        erasure: ErasureServices? = nil
    ) {
        self.secrets = secrets
        self.identityProviders = identityProviders
        self.storage = storage
        self.mail = mail
        self.adminPassword = adminPassword
        self.erasure = erasure
        self.auditKeys = auditKeys
    }
}

/// The services that `Endpoint.needs` can list.
package enum ServiceNeed: String, CaseIterable, Sendable {
    /// Signs access tokens, and derives or checks refresh tokens: requires the master key.
    case sessions
    /// Verifies identity tokens.
    case identityProviders
    /// Verifies identity tokens, if providers are configured.
    case identityProvidersIfAny
    /// Verifies passkeys: needs the master key, and what `relyingParty` needs.
    case passkeys
    /// Verifies passkeys in place of codes, where it can be known what they are verified against.
    /// Without that, codes are enough.
    case passkeyFactor
    /// Knows what passkeys are verified against: needs `PASSKEY_RP_ID`, where `ISSUER` has no
    /// domain.
    case relyingParty
    /// Issues storage credentials.
    case storage
    /// Sends mail: needs the master key and `MAIL`.
    case mail
    /// Sends mail if `MAIL` is set.
    case notices
    /// Mails links: needs `LINK_BASE` if the contract has no default.
    case links
    /// Verifies the administrator's password.
    case adminPassword
    /// Erases the data of deleted accounts: objects if storage is configured, and Apple's tokens if
    /// a key for revoking them is.
    case erasure
    /// Verifies the audit log: needs the master key, and `AUDIT_KEY` if functions have it.
    case auditKeys

    /// Whether a function that has it needs the master key.
    package var needsMasterKey: Bool {
        switch self {
        case .sessions, .passkeys, .passkeyFactor, .mail, .auditKeys: true
        case .identityProviders, .identityProvidersIfAny, .relyingParty, .storage, .notices, .links,
            .adminPassword,
            .erasure:
            false
        }
    }
}

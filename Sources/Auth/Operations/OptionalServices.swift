package import AuthRecords
package import Bytes
package import Cryptography
package import Time

/// Services that only some endpoints need (`Endpoint.needs`) and that are built only for them.
package struct OptionalServices: Sendable {
    package var secrets: AuthServices.Secrets?
    package var identityProviders: IdentityProviderGateway?
    package var storage: StorageServices?
    package var mail: MailServices?
    package var adminPassword: AdminPassword?
    package var erasure: ErasureServices?
    package var hashingLimit = HashingLimit.none
    package var breachedPasswords: BreachedPasswords?
    package var reportHousekeeping: @Sendable (HousekeepingNotice) -> Void = { _ in }
    package var auditKeys: AuditKeys?
    /// Does the work of a password's hash without one.
    package var spendPasswordWork:
        @Sendable (PasswordWork, SecretBytes) throws(CryptoFailure) -> Void = {
            work, password throws(CryptoFailure) in try work.spend(on: password)
        }
    /// Blocks between the attempts of an operation that lost a race.
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
    /// Issues storage credentials.
    case storage
    /// Sends mail: needs the master key and `MAIL`.
    case mail
    /// Sends mail if `MAIL` is set, and does without otherwise.
    case notices
    /// Mails links: needs `LINK_BASE`, where the contract has none.
    case links
    /// Knows the administrator's password.
    case adminPassword
    /// Erases what belongs to deleted accounts: objects, where there is storage, and tokens of
    /// Apple, where there is a key for it.
    case erasure
    /// Verifies the audit log: needs the master key, and `AUDIT_KEY` where functions have it.
    case auditKeys
}

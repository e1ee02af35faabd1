package import AuthRecords
package import Bytes
package import Cryptography
package import Time

/// Services that are built only for the endpoints that need them (`Endpoint.needs`).
package struct OptionalServices: Sendable {
    package var secrets: AuthServices.Secrets?
    package var identityProviders: IdentityProviderGateway?
    package var passkeys: PasskeyServices?
    package var storage: StorageServices?
    package var mail: MailServices?
    package var adminPassword: AdminPassword?
    package var erasure: ErasureServices?
    /// nil: no events are sent.
    package var webhooks: WebhookServices?
    package var hashingLimit = HashingLimit.none
    package var breachedPasswords: BreachedPasswords?
    /// nil without `HOOKS`.
    package var hooks: HookServices?
    package var reportHousekeeping: @Sendable (HousekeepingNotice) -> Void = { _ in }
    package var auditKeys: AuditKeys?
    /// How often a server runs the housekeeping; nil for the schedule of once a minute.
    package var housekeepingInterval: Span?
    /// Does the same work as the verification of a password, but has no hash.
    package var spendPasswordWork:
        @Sendable (PasswordWork, SecretBytes) throws(CryptoFailure) -> Void = {
            work, password throws(CryptoFailure) in try work.spend(on: password)
        }
    /// The threads of a server share this value.
    package var wrongPasswordTime = WrongPasswordTime()
    /// nil unless the process is a server.
    package var activity: Activity?
    /// nil unless `OAUTH` is on.
    package var oauth: OAuthServices?
    /// The threads of a server share this value.
    package var revocations = RevocationMemory()
    /// The settings of this process, for its administrators.
    package var findSetting: DeploymentSetting.Find = { _, _ in nil }
    /// The files of this process's settings, for the commands that its administrators copy.
    package var settingsFiles = SettingsFiles()
    /// Sleeps between the attempts of an operation that conflicts with other requests.
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

/// The values and rules in which contracts differ, besides the wire format.
package struct Policy: Equatable, Sendable {
    package var sessions: SessionPolicy
    package var accessTokens: AccessTokenPolicy
    package var identity: IdentityPolicy
    package var accounts: AccountPolicy
    /// nil: no passwords.
    package var passwords: PasswordPolicy?
    /// nil: no account can enrol a second factor, and an account that has one cannot sign in.
    package var secondFactors: SecondFactorPolicy?
    /// nil: devices are not stored, and no mail is sent for a new one.
    package var devices: DevicePolicy?
    /// nil: no sign-in by a mailed link.
    package var magicLinks: MagicLinkPolicy?
    /// nil: mails with a link have no code.
    package var mailCodes: MailCodePolicy?
    /// nil: mails are limited only by the limits of requests.
    package var mailBudget: MailBudget?
    /// nil: a replaced address cannot be restored.
    package var emailChanges: EmailChangePolicy?
    /// nil: no passkeys.
    package var passkeys: PasskeyPolicy?
    /// nil: no guests.
    package var guests: GuestPolicy?
    /// nil: no pages for people.
    package var pages: PagesPolicy?
    /// nil: third-party clients cannot ask for tokens.
    package var oauth: OAuthPolicy?
    /// nil unless `REVOCATIONS` is on.
    package var revocations: RevocationPolicy?
    /// nil: accounts cannot be merged.
    package var merging: MergePolicy?
    /// Whether `HOOKS` applies.
    package var asksHooks: Bool
    /// nil: tokens cannot be bound to a key of the client.
    package var proofs: ProofPolicy?
    /// nil: no mail has a link.
    package var links: LinkPolicy?
    package var limits: [RateLimit]
    package var admin: AdminPolicy
    package var deletion: DeletionPolicy
    package var audit: AuditPolicy

    package init(
        sessions: SessionPolicy, accessTokens: AccessTokenPolicy, identity: IdentityPolicy,
        accounts: AccountPolicy = AccountPolicy(), passwords: PasswordPolicy? = nil,
        secondFactors: SecondFactorPolicy? = nil, devices: DevicePolicy? = nil,
        magicLinks: MagicLinkPolicy? = nil, mailCodes: MailCodePolicy? = nil,
        mailBudget: MailBudget? = nil, emailChanges: EmailChangePolicy? = nil,
        passkeys: PasskeyPolicy? = nil, guests: GuestPolicy? = nil, pages: PagesPolicy? = nil,
        oauth: OAuthPolicy? = nil, revocations: RevocationPolicy? = nil,
        merging: MergePolicy? = nil, asksHooks: Bool = false,
        proofs: ProofPolicy? = nil,
        links: LinkPolicy? = nil, limits: [RateLimit],
        admin: AdminPolicy = AdminPolicy(), deletion: DeletionPolicy = DeletionPolicy(),
        audit: AuditPolicy = AuditPolicy()
    ) {
        self.sessions = sessions
        self.accessTokens = accessTokens
        self.identity = identity
        self.accounts = accounts
        self.passwords = passwords
        self.secondFactors = secondFactors
        self.devices = devices
        self.magicLinks = magicLinks
        self.mailCodes = mailCodes
        self.mailBudget = mailBudget
        self.emailChanges = emailChanges
        self.passkeys = passkeys
        self.guests = guests
        self.pages = pages
        self.oauth = oauth
        self.revocations = revocations
        self.merging = merging
        self.asksHooks = asksHooks
        self.proofs = proofs
        self.links = links
        self.limits = limits
        self.admin = admin
        self.deletion = deletion
        self.audit = audit
    }
}

/// The services that `Endpoint.needs` lists.
///
/// This is an option set, because each start of a function builds the needs of all endpoints. A
/// `Set` would cost an allocation for each endpoint, and a runtime lookup of the conformance of its
/// elements.
package struct ServiceNeeds: OptionSet, Sendable {
    package let rawValue: UInt32

    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

    // The method of the standard library is generic, and would not be specialised for other
    // modules.
    @inlinable package init(arrayLiteral needs: ServiceNeeds...) {
        self.init(rawValue: needs.reduce(0) { $0 | $1.rawValue })
    }

    /// Signs access tokens, and derives or checks refresh tokens: requires the master key.
    @inlinable package static var sessions: ServiceNeeds { ServiceNeeds(rawValue: 1 << 0) }
    /// Verifies identity tokens.
    @inlinable package static var identityProviders: ServiceNeeds { ServiceNeeds(rawValue: 1 << 1) }
    /// Verifies passkeys: needs the master key and the settings of `relyingParty`.
    @inlinable package static var passkeys: ServiceNeeds { ServiceNeeds(rawValue: 1 << 2) }
    /// Verifies passkeys instead of codes, if the relying party is known. Otherwise codes are
    /// enough.
    @inlinable package static var passkeyFactor: ServiceNeeds { ServiceNeeds(rawValue: 1 << 3) }
    /// Knows the relying party of passkeys: needs `PASSKEY_RP_ID` if `ISSUER` has no domain.
    @inlinable package static var relyingParty: ServiceNeeds { ServiceNeeds(rawValue: 1 << 4) }
    /// Issues storage credentials.
    @inlinable package static var storage: ServiceNeeds { ServiceNeeds(rawValue: 1 << 5) }
    /// Sends mail: needs the master key and `MAIL_URL`.
    @inlinable package static var mail: ServiceNeeds { ServiceNeeds(rawValue: 1 << 6) }
    /// Sends mail if `MAIL_URL` is set.
    @inlinable package static var notices: ServiceNeeds { ServiceNeeds(rawValue: 1 << 7) }
    /// Mails links: needs `LINK_BASE` if the contract has no default.
    @inlinable package static var links: ServiceNeeds { ServiceNeeds(rawValue: 1 << 8) }
    /// Verifies the administrator's password.
    @inlinable package static var adminPassword: ServiceNeeds { ServiceNeeds(rawValue: 1 << 9) }
    /// Erases the data of deleted accounts: objects if storage is configured, and Apple's tokens if
    /// a key for revoking them is configured.
    @inlinable package static var erasure: ServiceNeeds { ServiceNeeds(rawValue: 1 << 10) }
    /// Verifies the audit log: needs the master key, and `AUDIT_KEY` if functions have it.
    @inlinable package static var auditKeys: ServiceNeeds { ServiceNeeds(rawValue: 1 << 11) }
    /// Verifies identity tokens, if providers are configured.
    @inlinable package static var identityProvidersIfAny: ServiceNeeds {
        ServiceNeeds(rawValue: 1 << 12)
    }
    /// Moves the data of merged accounts: objects if storage is configured.
    @inlinable package static var moving: ServiceNeeds { ServiceNeeds(rawValue: 1 << 13) }
    /// Sends events that are due: needs `WEBHOOK_SECRET` if there are `WEBHOOKS`.
    @inlinable package static var webhooks: ServiceNeeds { ServiceNeeds(rawValue: 1 << 14) }

    /// Asks hooks (`HOOKS`).
    @inlinable package static var hooks: ServiceNeeds { ServiceNeeds(rawValue: 1 << 15) }

    /// Knows the provider's clients, if `OAUTH` is on.
    @inlinable package static var oauth: ServiceNeeds { ServiceNeeds(rawValue: 1 << 16) }

    /// Whether a function with one of these needs requires the master key.
    package var needMasterKey: Bool { !isDisjoint(with: Self.withMasterKey) }

    private static let withMasterKey: ServiceNeeds = [
        .sessions, .passkeys, .passkeyFactor, .mail, .auditKeys,
    ]
}

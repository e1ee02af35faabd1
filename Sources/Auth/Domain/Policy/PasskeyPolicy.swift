package import Time

/// Passkeys of accounts (WebAuthn).
package struct PasskeyPolicy: Equatable, Sendable {
    /// How long an authenticator may take. The challenge is valid for the same time (WebAuthn
    /// section 13.4.3).
    package var ceremonyLifetime: Span
    /// How many passkeys an account may have.
    package var countMax: Int

    package init(ceremonyLifetime: Span = .minutes(5), countMax: Int = 20) {
        self.ceremonyLifetime = ceremonyLifetime
        self.countMax = countMax
    }
}

package import Time

/// How users change their addresses. In a contract without this policy, an address that is replaced
/// cannot be restored.
package struct EmailChangePolicy: Equatable, Sendable {
    /// How long the former address can be restored. Until then no other account can claim it.
    package var undoLifetime: Span
    /// How many former addresses an account can have: each is a row and a claim, and an attacker
    /// must not displace the owner's.
    package var formerMax: Int

    package init(undoLifetime: Span = .days(7), formerMax: Int = 5) {
        self.undoLifetime = undoLifetime
        self.formerMax = formerMax
    }
}

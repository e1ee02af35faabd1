package import Time

/// When a sign-in method was added to an account, and in which session.
package struct Addition: Equatable, Sendable {
    package let at: Instant
    /// `SessionProofs.since` of that session.
    package let since: Instant

    package init(at: Instant, since: Instant) {
        self.at = at
        self.since = since
    }
}

extension User {
    /// - Returns: nil if the account had the sign-in method from the beginning, or got it before
    ///   additions were recorded.
    package func addition(of provider: String, passkey: String?) -> Addition? {
        identities.first { identity in
            passkey.map { identity.isPasskey && identity.subject.utf8.elementsEqual($0.utf8) }
                ?? identity.provider.utf8.elementsEqual(provider.utf8)
        }?.addition
    }
}

package import AuthDomain

/// A hash of (issuer, subject), for keys and jobs, which must not contain the subject itself.
package struct IdentityDigest: Equatable, Sendable {
    package let text: String

    package init(issuer: String, subject: String) {
        text = StoreLayout.digest([issuer, subject])
    }

    package init(_ identity: LinkedIdentity) {
        self.init(issuer: identity.issuer, subject: identity.subject)
    }

    /// - Parameter text: from a row.
    package init(text: String) { self.text = text }
}

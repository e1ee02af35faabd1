internal import Bytes
package import Time

/// One hash chain of the audit log. Each event is linked to the one before it in its chain.
///
/// Events that a client can cause without signing in (a wrong password, a request for a link) have
/// separate chains: only one event at a time can be added to a chain, and a flood of failures must
/// not delay the owner's sign-in.
package struct AuditChain: Hashable, Sendable {
    /// The name identifies the chain in keys and in every link. It contains no e-mail address in
    /// clear text.
    package let name: String
    /// The account, if the chain belongs to one.
    package let user: UserID?

    private init(_ name: String, user: UserID? = nil) {
        self.name = name
        self.user = user
    }

    /// Actions on an account by its owner or an administrator.
    package static func account(_ user: UserID) -> AuditChain {
        AuditChain(user.text, user: user)
    }

    /// Attempts on an account.
    package static func attempts(on user: UserID) -> AuditChain {
        AuditChain(user.text + attemptsSuffix, user: user)
    }

    /// Attempts with an e-mail address that has no account, and mail sent to an address.
    package static func email(digest: [UInt8]) -> AuditChain {
        AuditChain(emailPrefix + Base64URL.encode(digest))
    }

    /// Attempts from a network address where neither an account nor an e-mail address is known.
    package static func network(digest: [UInt8]) -> AuditChain {
        AuditChain(networkPrefix + Base64URL.encode(digest))
    }

    /// Actions of the administrator who signs in with the password of the deployment.
    package static let administration = AuditChain(administrationName)
    package static let administrationAttempts = AuditChain(administrationName + attemptsSuffix)
    /// Messages that were abandoned because they could not be read.
    package static let mail = AuditChain(mailName)

    /// How long an event is kept: for a shorter time in chains that a client can create without an
    /// account, by using another address each time.
    package var retention: Span {
        let isAnonymous = [Self.emailPrefix, Self.networkPrefix].contains {
            name.utf8.starts(with: $0.utf8)
        }
        return isAnonymous ? .days(14) : Self.retentionMax
    }

    package static let retentionMax = Span.days(90)

    private static let attemptsSuffix = "#ATTEMPTS"
    private static let emailPrefix = "EMAIL#"
    private static let networkPrefix = "NETWORK#"
    private static let administrationName = "ADMINISTRATION"
    private static let mailName = "MAIL"

    /// nil if the text is not the name of a chain.
    package init?(named name: String) {
        let parts = name.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
        switch (parts.first, parts.count) {
        case ("ADMINISTRATION"?, 1), ("MAIL"?, 1): self.init(name)
        case ("ADMINISTRATION"?, 2) where parts[1] == "ATTEMPTS": self.init(name)
        case ("EMAIL"?, 2), ("NETWORK"?, 2):
            guard Base64URL.decode(parts[1])?.count == 32 else { return nil }
            self.init(name)
        case (let id?, 1...2):
            guard let user = UserID(parsing: id), parts.count == 1 || parts[1] == "ATTEMPTS" else {
                return nil
            }
            self.init(name, user: user)
        default: return nil
        }
    }
}

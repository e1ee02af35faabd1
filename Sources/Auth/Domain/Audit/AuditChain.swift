internal import Bytes
package import Time

/// One line of the audit log. Each event is linked to the one before it in its chain.
///
/// What anyone can cause (a wrong password, a request for a link) has a chain of its own: two
/// events of one chain compete for its end, and a flood of failures must not delay the owner's
/// sign-in.
package struct AuditChain: Hashable, Sendable {
    /// Part of keys and of every link: it identifies the chain, and has nothing of an e-mail
    /// address in clear.
    package let name: String
    /// The account whose chain it is.
    package let user: UserID?

    private init(_ name: String, user: UserID? = nil) {
        self.name = name
        self.user = user
    }

    /// What was done with an account by its owner or an administrator.
    package static func account(_ user: UserID) -> AuditChain {
        AuditChain(user.text, user: user)
    }

    /// What was tried with an account.
    package static func attempts(on user: UserID) -> AuditChain {
        AuditChain(user.text + attemptsSuffix, user: user)
    }

    /// What was tried with an e-mail address that has no account, or sent to one.
    package static func email(digest: [UInt8]) -> AuditChain {
        AuditChain(emailPrefix + Base64URL.encode(digest))
    }

    /// What was tried from an address, where neither an account nor an e-mail address is known.
    package static func network(digest: [UInt8]) -> AuditChain {
        AuditChain(networkPrefix + Base64URL.encode(digest))
    }

    /// What the administrator did who signs in with the password of the deployment.
    package static let administration = AuditChain(administrationName)
    package static let administrationAttempts = AuditChain(administrationName + attemptsSuffix)
    /// Messages that were given up and could not be read.
    package static let mail = AuditChain(mailName)

    /// How long an event is kept. What anyone can cause without an account, each time in another
    /// chain, is kept for less long.
    package var retention: Span {
        let isOfAnyone = [Self.emailPrefix, Self.networkPrefix].contains {
            name.utf8.starts(with: $0.utf8)
        }
        return isOfAnyone ? .days(14) : Self.retentionMax
    }

    package static let retentionMax = Span.days(90)

    private static let attemptsSuffix = "#ATTEMPTS"
    private static let emailPrefix = "EMAIL#"
    private static let networkPrefix = "NETWORK#"
    private static let administrationName = "ADMINISTRATION"
    private static let mailName = "MAIL"

    /// nil for what is no name of a chain.
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

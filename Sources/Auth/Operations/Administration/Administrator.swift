package import AuthDomain

/// Who administers, for permission and for the audit log.
package enum Administrator: Equatable, Sendable {
    /// A signed-in user with the flag `isAdmin`.
    case user(User)
    /// Whoever signed in with the administrator's password.
    case password

    /// In audit records.
    var name: String {
        switch self {
        case .user(let user): user.id.text
        case .password: "password"
        }
    }

    var user: User? {
        if case .user(let user) = self { user } else { nil }
    }
}

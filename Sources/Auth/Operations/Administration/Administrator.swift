package import AuthDomain

/// The author of an administrative change, for authorization and for the audit log.
package enum Administrator: Equatable, Sendable {
    /// A signed-in user with the flag `isAdmin`.
    case user(User)
    /// An administrator who signed in with the administrator's password.
    case password

    /// The name in audit events.
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

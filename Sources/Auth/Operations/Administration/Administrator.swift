package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
package import Time

extension AuthServices {
    /// The writes that make a change fail unless its author is still an administrator.
    ///
    /// - Parameter role: the role that the change requires.
    func checks(
        of administrator: Administrator, as role: AdminRole = .administrator, _ items: ReadItems
    ) throws(AuthError) -> [Write] {
        guard let known = administrator.user else { return [] }
        guard let maker = try items.user(known.id), maker.isActive(as: known),
            maker.adminRole.map({ $0 >= role }) ?? false
        else { throw .accessToken(.administratorsOnly) }
        return [.check(StoreLayout.profile(maker.id), when: UserRecord.unchanged(maker))]
    }
}

extension AuthOperation {
    /// A request to the function `admin`. It counts towards no limit; the action is audited.
    package static func administration(_ name: String) -> AuthOperation {
        AuthOperation(name, servedBy: "admin", counting: [], audited: .others)
    }
}

/// The author of an administrative change, for authorization and for the audit log.
package enum Administrator: Equatable, Sendable {
    /// A signed-in user with the flag `isAdmin`.
    case user(User)
    /// An administrator who signed in with the administrator's password.
    case password
    /// The operator, who has the store and its keys, at the command line (`latchkey admin`).
    case operators

    /// The maximum age of the proof of identity for changes that only the role `administrator` may
    /// make.
    package static let proofAgeMax = Span.minutes(15)

    /// The name in audit events.
    var name: String {
        switch self {
        case .user(let user): user.id.text
        case .password: "password"
        case .operators: "operator"
        }
    }

    /// The keys that `checks` reads.
    var keys: [ItemKey] { user.map { [StoreLayout.profile($0.id)] } ?? [] }

    var user: User? {
        if case .user(let user) = self { user } else { nil }
    }
}

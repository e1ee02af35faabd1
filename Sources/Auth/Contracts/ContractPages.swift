package import AuthDomain
internal import AuthOperations

/// The pages of a contract. The module `AuthPages` builds them, and only the executables that serve
/// pages link it: the others would be 0.4 MB larger.
package struct ContractPages: Sendable {
    /// Below this path are the pages of a user and of the system.
    package static let administration = "/admin/ui"
    /// Where a user signs in, and looks after the account.
    package static let signIn = "/auth/ui/signin"
    package static let account = PagesPolicy.accountPath

    /// The form in which the first administrator is made.
    package static let firstAdministrator = administration + "/first"

    package static func firstAdministratorLink(token: String, issuer: String) -> String {
        let origin = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        return "\(origin)\(firstAdministrator)?token=\(token)"
    }

    /// The path of the administrator's list of users.
    package let home: String
    package let users: UserEndpoints
    /// Whether users sign in and look after their accounts on pages too.
    package let areForUsers: Bool

    /// Operations that no other endpoint has.
    package var countedOperations: [AuthOperation] {
        areForUsers ? [.redeemProviderCode, .authorizeClient] : []
    }

    init(home: String = administration, users: UserEndpoints, areForUsers: Bool) {
        self.home = home
        self.users = users
        self.areForUsers = areForUsers
    }
}

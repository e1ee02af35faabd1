package import AuthDomain
internal import AuthOperations

/// The pages of a contract. The module `AuthPages` builds them, and only the executables that serve
/// pages link it, because it adds 0.4 MB.
package struct ContractPages: Sendable {
    /// The path of the administrators' pages.
    package static let administration = "/admin/ui"
    /// The page where a user signs in.
    package static let signIn = "/auth/ui/signin"
    package static let account = PagesPolicy.accountPath

    /// The page with the form that creates the first administrator.
    package static let firstAdministrator = administration + "/first"

    package static func firstAdministratorLink(token: String, issuer: String) -> String {
        let origin = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        return "\(origin)\(firstAdministrator)?token=\(token)"
    }

    /// The path of the administrator's list of users.
    package let home: String
    package let users: UserEndpoints
    /// Whether there are also pages where users sign in and manage their accounts.
    package let areForUsers: Bool

    /// Operations that belong to no endpoint.
    package var countedOperations: [AuthOperation] {
        areForUsers ? [.redeemProviderCode, .authorizeClient] : []
    }

    init(home: String = administration, users: UserEndpoints, areForUsers: Bool) {
        self.home = home
        self.users = users
        self.areForUsers = areForUsers
    }
}

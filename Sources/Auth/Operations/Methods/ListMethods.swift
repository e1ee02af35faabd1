package import AuthDomain
internal import AuthRecords
internal import KeyValueStore

extension AuthServices {
    /// The sign-in methods of a user.
    package func listMethods(_ caller: Caller) throws(AuthError) -> SignInMethods {
        let (principal, items) = try authenticate.open(caller, for: .listMethods) { user in
            [StoreLayout.password(of: user)]
        }
        return SignInMethods(
            of: principal.user,
            hasPassword: items[StoreLayout.password(of: principal.user.id)] != nil)
    }
}

package struct SignInMethods: Equatable, Sendable {
    /// The identities, in the order in which they were added. The e-mail address counts as one of
    /// them.
    package let identities: [LinkedIdentity]
    package let hasPassword: Bool

    init(of user: User, hasPassword: Bool) {
        identities = user.identities
        self.hasPassword = hasPassword
    }
}

extension AuthOperation {
    package static let listMethods = AuthOperation("listMethods", servedBy: "methods")
}

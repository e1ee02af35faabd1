package import AuthDomain
internal import AuthRecords
internal import KeyValueStore

/// The ways in which a user signs in.
package struct ListMethods: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package func callAsFunction(_ caller: Caller) throws(AuthError) -> SignInMethods {
        let (principal, items) = try auth.authenticate.open(caller, for: .listMethods) { user in
            [StoreLayout.password(of: user)]
        }
        return SignInMethods(of: principal.user, hasPassword: items[0] != nil)
    }
}

package struct SignInMethods: Equatable, Sendable {
    /// In the order in which they were added. The e-mail address is one of them.
    package let identities: [LinkedIdentity]
    package let hasPassword: Bool

    init(of user: User, hasPassword: Bool) {
        identities = user.identities
        self.hasPassword = hasPassword
    }
}

extension AuthServices {
    package var listMethods: ListMethods { ListMethods(self) }
}

extension AuthOperation {
    package static let listMethods = AuthOperation("listMethods", servedBy: "methods")
}

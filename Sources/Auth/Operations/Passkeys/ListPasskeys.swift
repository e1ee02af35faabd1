package import AuthDomain
package import AuthRecords
internal import Bytes
internal import KeyValueStore
package import WebAuthn

/// The passkeys of a signed-in user.
package struct PasskeyList: Sendable {
    package struct Entry: Sendable {
        /// The ID in routes.
        package let id: String
        package let passkey: Passkey
        /// The name of the passkey's provider, if it is known.
        package let provider: String?
        /// Whether the session of this request began with this passkey.
        package let isCurrent: Bool
    }

    package let entries: [Entry]
    package let user: User
    package let relyingParty: RelyingParty
}

extension AuthServices {
    package func listPasskeys(_ caller: Caller) throws(AuthError) -> PasskeyList {
        let (principal, _, page) = try authenticate.open(
            caller, for: .listPasskeys, reading: { _ in [] }, listing: StoreLayout.passkeys(of:))
        return try list(of: principal, try passkeys(page))
    }

    func list(
        of principal: Principal, changed user: User? = nil, _ passkeys: [StoredPasskey]
    ) throws(AuthError) -> PasskeyList {
        let services = try self.passkeys
        let oldestFirst = passkeys.sorted { $0.passkey.createdAt < $1.passkey.createdAt }
        return PasskeyList(
            entries: oldestFirst.map { stored in
                PasskeyList.Entry(
                    id: stored.id, passkey: stored.passkey,
                    provider: services.providers[stored.passkey.credential.aaguid],
                    isCurrent: principal.session.origin.passkey?.isSame(as: stored.id) ?? false)
            }, user: user ?? principal.user, relyingParty: services.relyingParty)
    }
}

extension AuthOperation {
    package static let listPasskeys = AuthOperation("listPasskeys", servedBy: "passkeys")
}

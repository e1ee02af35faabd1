/// A sign-in method, which can be added to an account and removed from it.
package enum SignInMethod: Hashable, Sendable {
    /// An identity of a provider. An account has at most one for each provider.
    case provider(String)
    /// The e-mail address: by mailed links if the contract has them, and by the password if there
    /// is one.
    case email
    /// Only the password, and not the mailed links.
    case password
    /// One of the account's passkeys.
    case passkey

    package static let passwordName = "password"

    package init(name: String) {
        switch name {
        case LinkedIdentity.passwordProvider: self = .email
        case Self.passwordName: self = .password
        case LinkedIdentity.passkeyProvider: self = .passkey
        default: self = .provider(name)
        }
    }

    package var name: String {
        switch self {
        case .provider(let name): name
        case .email: LinkedIdentity.passwordProvider
        case .password: Self.passwordName
        case .passkey: LinkedIdentity.passkeyProvider
        }
    }
}

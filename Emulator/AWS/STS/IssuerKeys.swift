package import JOSE

/// Fetches the keys of an identity provider, from an emulated provider or from a JWKS.
package struct IssuerKeys: Sendable {
    package enum Failure: Error, Sendable {
        /// The provider did not respond.
        case unreachable
        /// The response has no usable key.
        case none
    }

    package let keys: @Sendable (_ issuer: String) throws(Failure) -> KeySet

    package init(keys: @escaping @Sendable (_ issuer: String) throws(Failure) -> KeySet) {
        self.keys = keys
    }
}

package import JOSE

/// Where the keys of an identity provider come from: the emulator's own stubs, or a JWKS.
package struct IssuerKeys: Sendable {
    package enum Failure: Error, Sendable {
        /// It did not answer.
        case unreachable
        /// It answered with nothing that verifies.
        case none
    }

    package let keys: @Sendable (_ issuer: String) throws(Failure) -> KeySet

    package init(keys: @escaping @Sendable (_ issuer: String) throws(Failure) -> KeySet) {
        self.keys = keys
    }
}

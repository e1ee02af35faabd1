package import Bytes

/// The private key in a PEM file, of any supported kind.
package enum PrivateKeyFile: Sendable {
    case rsa(RSAPrivateKey)
    case p256(P256PrivateKey)
    case ed25519(Ed25519PrivateKey)

    package init(pem: SecretBytes) throws(CryptoFailure) {
        let file = try KeyImport.privateKey(pem: pem)
        if file.isType("RSA") {
            self = .rsa(try RSAPrivateKey(file))
        } else if file.isType("EC") {
            self = .p256(try P256PrivateKey(file))
        } else if file.isType("ED25519") {
            self = .ed25519(try Ed25519PrivateKey(file))
        } else {
            throw .invalidKey
        }
    }
}

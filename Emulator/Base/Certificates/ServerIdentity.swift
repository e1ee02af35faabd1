package import Bytes

/// A server's TLS certificate and key.
package struct ServerIdentity: Sendable {
    /// The server's certificate and intermediate certificates, in PEM.
    package let chainPEM: [UInt8]
    package let keyPEM: SecretBytes

    package init(chainPEM: [UInt8], keyPEM: SecretBytes) {
        self.chainPEM = chainPEM
        self.keyPEM = keyPEM
    }
}

package import Bytes
internal import HTTP
internal import JSON

/// Decrypts secrets that the configuration holds encrypted (Key Management Service).
package struct KMSClient: Sendable {
    // `Encrypt` takes at most 4 KiB.
    package static let ciphertextBytesMax = 6144

    static let limits = HTTPLimits(
        connectMillisecondsMax: 1000, totalMillisecondsMax: 5000, responseBytesMax: 64 << 10)

    private let service: JSONService

    package init(_ settings: AWSSettings, _ ports: AWSPorts, credentials: CredentialsProvider) {
        service = JSONService(
            service: AWSService(name: .kms, settings: settings, ports: ports),
            credentials: credentials, targetPrefix: "TrentService", version: "1.1",
            limits: Self.limits)
    }

    /// The ciphertext contains the ID of its symmetric key.
    package func decrypt(_ ciphertext: [UInt8]) throws(AWSFailure) -> SecretBytes {
        let answer = try service.call(
            AWSCall("Decrypt", ["CiphertextBlob": .string(Base64.encode(ciphertext))]))
        guard let plaintext = answer["Plaintext"]?.stringValue.flatMap({ Base64.decode($0) })
        else { throw .malformedResponse }
        return SecretBytes(plaintext)
    }
}

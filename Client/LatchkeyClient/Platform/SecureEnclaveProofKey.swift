#if canImport(CryptoKit)
    internal import CryptoKit
    public import Foundation

    /// A key in the Secure Enclave, for tokens that cannot be used on another device.
    public struct SecureEnclaveProofKey: ProofKey {
        private let key: SecureEnclave.P256.Signing.PrivateKey

        public static var isAvailable: Bool { SecureEnclave.isAvailable }

        /// Makes a new key. The app stores ``representation``, in the Keychain for example.
        public init() throws { key = try SecureEnclave.P256.Signing.PrivateKey() }

        /// Restores a key from its representation, on the device where it was made.
        public init(representation: Data) throws {
            key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: representation)
        }

        /// The key, encrypted by the Secure Enclave.
        public var representation: Data { key.dataRepresentation }

        public var algorithm: String { "ES256" }

        public var publicKey: [String: String] {
            // 0x04, x, y: 32 bytes each.
            let point = Array(key.publicKey.x963Representation)
            return [
                "kty": "EC", "crv": "P-256", "x": Base64URL.encode(point[1..<33]),
                "y": Base64URL.encode(point[33..<65]),
            ]
        }

        public func sign(_ message: Data) async throws -> Data {
            try key.signature(for: message).rawRepresentation
        }
    }
#endif

import AWSSignature
import Bytes
import Cryptography
import FunctionRuntime
import Glibc
import HTTP
import JSON
import Time

enum Primitive: String, CaseIterable {
    case es256Sign = "es256-sign"
    case es256Verify = "es256-verify"
    case ed25519Sign = "ed25519-sign"
    case ed25519Verify = "ed25519-verify"
    case rs256Sign = "rs256-sign"
    case rs256Verify = "rs256-verify"
    case argon2id
    case json
    case sigv4

    struct Wrong: Error {
        let what: String
    }

    /// The number of bytes that `openssl speed` signs, without hashing them.
    private static let message = [UInt8](repeating: 0x5A, count: 36)

    /// The measured operation, with all preparation done.
    func prepared(_ file: String?) throws -> () throws -> Void {
        let message = Self.message
        switch self {
        case .es256Sign:
            let key = try P256PrivateKey.generate(random: .system)
            return { _ = try key.sign(message) }
        case .es256Verify:
            let key = try P256PrivateKey.generate(random: .system)
            let (signature, publicKey) = (try key.sign(message), key.publicKey)
            return { try Self.require(publicKey.isValid(signature, for: message)) }
        case .ed25519Sign:
            let key = try Ed25519PrivateKey.generate(random: .system)
            return { _ = try key.sign(message) }
        case .ed25519Verify:
            let key = try Ed25519PrivateKey.generate(random: .system)
            let (signature, publicKey) = (try key.sign(message), key.publicKey)
            return { try Self.require(publicKey.isValid(signature, for: message)) }
        case .rs256Sign:
            let key = try RSAPrivateKey.generate()
            return { _ = try key.sign(message, padding: .pkcs1) }
        case .rs256Verify:
            let key = try RSAPrivateKey.generate()
            let (signature, publicKey) =
                (try key.sign(message, padding: .pkcs1), key.publicKey)
            return {
                try Self.require(publicKey.isValid(signature, for: message, padding: .pkcs1))
            }
        case .argon2id:
            let (password, salt) = (SecretBytes(message), [UInt8](repeating: 1, count: 16))
            return { _ = try Argon2id.hash(password, salt: salt, cost: .standard, count: 32) }
        case .json:
            let document = try Self.read(file)
            return { _ = try JSON.parse(document, limits: .response) }
        case .sigv4:
            let signer = Signer(
                AWSCredentials(accessKeyID: "AKID", secretAccessKey: SecretBytes(message)),
                region: "us-east-1", service: "dynamodb", keys: SigningKeyCache())
            let request = HTTPRequest(
                .post, "https://dynamodb.us-east-1.amazonaws.com/",
                headers: [HTTPHeader("X-Amz-Target", "DynamoDB_20120810.GetItem")],
                body: try Self.read(file))
            return { _ = try signer.sign(request, at: Instant(seconds: 1_700_000_000)) }
        }
    }

    private static func require(_ isValid: Bool) throws {
        guard isValid else { throw Wrong(what: "a valid signature is refused") }
    }

    private static func read(_ file: String?) throws -> [UInt8] {
        guard let file else { throw Wrong(what: "needs a file") }
        let descriptor = open(file, O_RDONLY)
        guard descriptor >= 0 else { throw Wrong(what: "\(file) cannot be opened") }
        defer { close(descriptor) }
        return try Descriptor.readAll(descriptor, bytesMax: 17 << 20)
    }
}

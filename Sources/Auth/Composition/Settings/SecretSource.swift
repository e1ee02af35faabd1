internal import AWSClients
internal import Bytes
internal import Glibc
internal import JSON

/// Resolves secrets. A reference costs one request at the start.
struct SecretSource: Sendable {
    /// Fetches from Secrets Manager, the Parameter Store or KMS; created only if a reference is
    /// used.
    let fetch: @Sendable (Reference) throws(SecretFailure) -> SecretBytes

    enum Reference: Equatable, Sendable {
        case secretsManager(id: String, member: String?)
        case parameter(name: String)
        /// A ciphertext of KMS, in the setting itself.
        case encrypted([UInt8])
    }

    func resolve(_ raw: String) throws(SecretFailure) -> SecretBytes {
        if let path = raw.dropping("file:") {
            guard !path.isEmpty else { throw .emptyReference }
            return SecretBytes(Self.trimmed(try SecretFile.read(path)))
        }
        if let id = raw.dropping("secretsmanager:") {
            // `#member` selects a member of a JSON secret. ARNs contain no `#`.
            let parts = id.split(separator: "#", maxSplits: 1)
            guard let first = parts.first else { throw .emptyReference }
            let member = parts.count == 2 ? String(parts[1]) : nil
            return try fetch(.secretsManager(id: String(first), member: member))
        }
        if let name = raw.dropping("ssm:") {
            guard !name.isEmpty else { throw .emptyReference }
            return try fetch(.parameter(name: name))
        }
        if let text = raw.dropping("kms:") {
            guard let ciphertext = Base64.decode(text), !ciphertext.isEmpty else {
                throw .notBase64
            }
            guard ciphertext.count <= KMSClient.ciphertextBytesMax else {
                throw .ciphertextTooLarge
            }
            return try fetch(.encrypted(ciphertext))
        }
        return SecretBytes(utf8: raw)
    }

    /// Removes the newline that editors add at the end of a file. A binary key is not changed,
    /// because its last byte may have the value of a newline.
    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        let hasControls = bytes.contains { $0 < 0x20 && ![0x09, 0x0A, 0x0D].contains($0) }
        guard !hasControls, String(checkingUTF8: bytes.span) != nil else { return bytes }
        var bytes = bytes
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        return bytes
    }
}

enum SecretFailure: Error, Equatable, Sendable {
    case unreadableFile(name: String, code: Int32)
    case fileTooLarge
    case emptyReference
    case notFetched
    case noSuchMember
    case notBase64
    case ciphertextTooLarge

    var explanation: String {
        switch self {
        case .unreadableFile(let name, let code):
            "\(name) cannot be read: \(String(cString: strerror(code)))"
        case .fileTooLarge: "the file is larger than \(SecretFile.bytesMax) bytes"
        case .emptyReference: "the reference is empty"
        case .notFetched: "the reference cannot be fetched"
        case .noSuchMember: "the secret has no such member"
        case .notBase64: "the text after kms: is not base64"
        case .ciphertextTooLarge:
            "the ciphertext is larger than \(KMSClient.ciphertextBytesMax) bytes"
        }
    }
}

enum SecretFile {
    static let bytesMax = 1 << 20

    /// - Parameter name: the file's name in an error; by default its path.
    static func read(_ path: String, named name: String? = nil) throws(SecretFailure) -> [UInt8] {
        let name = name ?? path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadableFile(name: name, code: errno) }
        defer { close(descriptor) }
        return try read(descriptor, named: name)
    }

    /// Reads up to the end of the file. In most cases it is a key.
    static func read(_ descriptor: Int32, named name: String) throws(SecretFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4 << 10)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadableFile(name: name, code: errno) }
            if count == 0 { return bytes }
            guard bytes.count + count <= bytesMax else { throw .fileTooLarge }
            bytes += chunk[..<count]
        }
    }
}

extension Substring {
    /// The text without leading and trailing spaces.
    var trimmingSpaces: Substring {
        var rest = self
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return rest
    }
}

extension String {
    /// The text after `prefix`, or nil.
    func dropping(_ prefix: String) -> String? {
        utf8.starts(with: prefix.utf8) ? String(dropFirst(prefix.count)) : nil
    }
}

internal import Bytes
internal import Cryptography
internal import JSON
package import Time

/// A secret declared in the template.
package struct DeclaredSecret: Sendable {
    package enum Value: Sendable {
        case text(String)
        /// A generated random text, optionally inserted in a JSON object under a key.
        case generated(length: Int, template: String?, key: String?, excluded: String)
    }

    package let name: String
    package let arn: String
    package let value: Value

    package init(name: String, arn: String, value: Value) {
        self.name = name
        self.arn = arn
        self.value = value
    }
}

/// A parameter of Systems Manager.
package struct DeclaredParameter: Sendable {
    package let name: String
    package let value: String
    /// `String`, `StringList` or `SecureString`.
    package let type: String

    package init(name: String, value: String, type: String) {
        self.name = name
        self.value = value
        self.type = type
    }

    var isSecure: Bool { type.isSame(as: "SecureString") }
}

package struct StoredSecret: Sendable {
    package let name: String
    package let arn: String
    package let text: String
    package let createdAt: Instant

    package init(name: String, arn: String, text: String, createdAt: Instant) {
        self.name = name
        self.arn = arn
        self.text = text
        self.createdAt = createdAt
    }

    /// A version ID derived from the text.
    var version: String {
        let hex = Hex.encode(SHA256.hash(utf8: "\(arn) \(text)").prefix(16))
        let cuts = [8, 12, 16, 20]
        return String(hex.enumerated().flatMap { cuts.contains($0) ? ["-", $1] : [$1] })
    }
}

extension DeclaredSecret.Value {
    func text(_ random: RandomSource) -> String {
        switch self {
        case .text(let text): return text
        case .generated(let length, let template, let key, let excluded):
            let password = Self.password(length: length, excluded: excluded, random)
            guard let key else { return password }
            let parsed = template.flatMap {
                try? JSON.parse($0, limits: JSONLimits(bytesMax: 64 << 10, depthMax: 8))
            }
            var object = parsed?.objectValue ?? [:]
            object[key] = .string(password)
            return JSON.object(object).text
        }
    }

    /// A password chosen uniformly from the printable ASCII characters that are not excluded.
    private static func password(
        length: Int, excluded: String, _ random: RandomSource
    ) -> String {
        let banned = Set(excluded.utf8)
        let symbols = (UInt8(0x21)...0x7E).filter { !banned.contains($0) }
        guard !symbols.isEmpty else { return "" }
        let fair = 256 - 256 % symbols.count
        var text: [UInt8] = []
        while text.count < length {
            for byte in random.bytes(length) where Int(byte) < fair && text.count < length {
                text.append(symbols[Int(byte) % symbols.count])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

package enum SecretsFailure: Error, Sendable, Equatable {
    /// The saved state cannot be read. The emulator must not start without it: data that was
    /// encrypted with a secret would become unreadable.
    case damaged
    case notSaved(reason: String)
}

extension SecretsFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .damaged: "the secrets are damaged"
        case .notSaved(let reason): "the secrets cannot be saved: \(reason)"
        }
    }
}

/// The state of the service.
struct SecretState: Sendable {
    private(set) var secrets: [StoredSecret] = []
    var parameters: [DeclaredParameter] = []

    init(saved: [UInt8]) throws(SecretsFailure) {
        guard !saved.isEmpty else { return }
        let json = try? JSON.parse(saved, limits: JSONLimits(bytesMax: 64 << 20, depthMax: 4))
        guard let list = json?.arrayValue else { throw .damaged }
        for entry in list {
            guard let name = entry["name"]?.stringValue, let arn = entry["arn"]?.stringValue,
                let text = entry["text"]?.stringValue,
                let created = entry["createdAt"]?.int64Value
            else { throw .damaged }
            secrets.append(
                StoredSecret(
                    name: name, arn: arn, text: text, createdAt: Instant(milliseconds: created)))
        }
    }

    var saved: [UInt8] {
        JSON.array(
            secrets.map { secret in
                [
                    "name": .string(secret.name), "arn": .string(secret.arn),
                    "text": .string(secret.text),
                    "createdAt": .number(secret.createdAt.milliseconds),
                ]
            }
        ).serialized
    }

    /// Finds a secret by its name, by its ARN, or by its ARN without the six characters that AWS
    /// appends.
    func secret(_ id: String) -> StoredSecret? {
        secrets.first {
            $0.name.isSame(as: id) || $0.arn.isSame(as: id)
                || String($0.arn.dropLast(7)).isSame(as: id)
        }
    }

    mutating func removeAll() { secrets = [] }

    mutating func put(_ secret: StoredSecret) {
        secrets.removeAll { $0.name.isSame(as: secret.name) }
        secrets.append(secret)
    }
}

internal import Bytes
package import JSON
internal import Synchronization

/// Collects secrets, and the logs and error responses that must not contain them.
package final class SecretLeakDetector: Sendable {
    private struct Secret: Hashable, Sendable {
        let kind: String
        let value: String
    }

    private let members: [String]
    private let state = Mutex(State())

    private struct State: Sendable {
        var secrets: Set<Secret> = []
        /// The texts by value, so that equal texts are kept once.
        var texts: [String: String] = [:]
    }

    /// `members` are the members of responses with secret values.
    package init(members: [String]) { self.members = members }

    /// Shorter texts are not treated as secrets but as words: a hostile token may contain one as
    /// nonce.
    private static let bytesMin = 12

    package func add(_ kind: String, _ value: String) {
        guard value.utf8.count >= Self.bytesMin else { return }
        _ = state.withLock { $0.secrets.insert(Secret(kind: kind, value: value)) }
    }

    /// Adds the token, its signature and its personal claims.
    package func add(token: String) {
        add("token", token)
        guard let parts = TokenParts(token) else { return }
        add("signature", String(parts.signature))
        for name in ["email", "nonce"] { parts.claims[name]?.stringValue.map { add(name, $0) } }
    }

    /// Adds the secrets of a response to their owner.
    package func add(answer: JSON) {
        switch answer {
        case .object(let object):
            for (name, value) in object.members {
                if let text = value.stringValue {
                    guard members.contains(where: { $0.isSame(as: name) }) else { continue }
                    add(name, text)
                    if TokenParts(text) != nil { add(token: text) }
                } else {
                    add(answer: value)
                }
            }
        case .array(let elements): for element in elements { add(answer: element) }
        case .null, .bool, .number, .string: break
        }
    }

    package func add(key bytes: [UInt8]) {
        add("key", Hex.encode(bytes))
        add("key", Base64.encode(bytes))
        add("key", Base64URL.encode(bytes))
    }

    /// Adds a text that must not contain secrets.
    package func guardText(_ label: String, _ bytes: [UInt8]) {
        state.withLock { $0.texts[String(decoding: bytes, as: UTF8.self)] = label }
    }

    package var textCount: Int { state.withLock { $0.texts.count } }
    package var secretCount: Int { state.withLock { $0.secrets.count } }

    /// The texts that contain a secret, each with the kind of the secret. The secret is not
    /// included, because the result may be logged.
    package var leaks: [String] {
        let (secrets, texts) = state.withLock { ($0.secrets, $0.texts) }
        var byStart: [UInt64: [Secret]] = [:]
        for secret in secrets {
            byStart[Self.word(Array(secret.value.utf8.prefix(8))[...]), default: []].append(secret)
        }
        var leaks: Set<String> = []
        for (text, label) in texts where text.utf8.count >= Self.bytesMin {
            let text = Array(text.utf8)
            var window = Self.word(text[..<7])
            for index in 7..<text.count {
                window = window << 8 | UInt64(text[index])
                for secret in byStart[window] ?? []
                where text[(index - 7)...].starts(with: secret.value.utf8) {
                    leaks.insert("\(label) holds a \(secret.kind)")
                }
            }
        }
        return leaks.sorted()
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

import Bytes
import JSON
import Synchronization

/// Everything that must not turn up in a log or in a refusal, and every text in which to look.
final class SecretLedger: Sendable {
    struct Secret: Hashable, Sendable {
        let kind: String
        let value: String
    }
    struct Text: Sendable {
        let label: String
        let bytes: [UInt8]
    }

    private let state = Mutex(State())

    private struct State {
        var secrets: Set<Secret> = []
        var texts: [[UInt8]: String] = [:]
    }

    var secrets: Set<Secret> { state.withLock { $0.secrets } }
    /// Equal texts are one.
    var texts: [Text] {
        state.withLock { $0.texts.map { Text(label: $0.value, bytes: $0.key) } }
    }

    /// Shorter ones are no secrets but words: a nonce of a hostile token may be one.
    private static let bytesMin = 12

    func add(_ kind: String, _ value: String) {
        guard value.utf8.count >= Self.bytesMin else { return }
        _ = state.withLock { $0.secrets.insert(Secret(kind: kind, value: value)) }
    }

    /// Also its signature, and what its claims say of a person.
    func add(token: String) {
        add("token", token)
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return }
        add("signature", String(parts[2]))
        guard let payload = Base64URL.decode(parts[1]),
            let claims = try? JSON.parse(payload, limits: .request)
        else { return }
        for name in ["email", "nonce"] { claims[name]?.stringValue.map { add(name, $0) } }
    }

    /// What an answer gives away to the one who may have it.
    func add(answer: JSON) {
        switch answer {
        case .object(let object):
            for (name, value) in object.members {
                guard let text = value.stringValue else {
                    add(answer: value)
                    continue
                }
                switch name {
                case "accessToken": add(token: text)
                case "refreshToken", "nonce", "secretAccessKey", "sessionToken", "email":
                    add(name, text)
                default: break
                }
            }
        case .array(let elements): for element in elements { add(answer: element) }
        case .null, .bool, .number, .string: break
        }
    }

    func add(key bytes: [UInt8]) {
        add("key", Hex.encode(bytes))
        add("key", Base64.encode(bytes))
        add("key", Base64URL.encode(bytes))
    }

    /// A text in which no secret may be.
    func guardText(_ label: String, _ bytes: [UInt8]) {
        state.withLock { $0.texts[bytes] = label }
    }
}

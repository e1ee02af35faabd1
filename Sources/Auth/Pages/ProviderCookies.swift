internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import JSON

extension BegunRedirect {
    private static let bytesMax = 1000
    private static let parts = 5

    init?(cookie: String?) {
        guard let cookie, cookie.utf8.count <= Self.bytesMax else { return nil }
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == Self.parts, parts.dropLast().allSatisfy({ !$0.isEmpty }) else {
            return nil
        }
        self.init(
            provider: parts[0], state: parts[1], nonce: parts[2], verifier: parts[3],
            session: parts[4])
    }

    /// Names of providers, base64url and ids have no dots.
    var cookie: String {
        [provider, state, nonce, verifier, session].joined(separator: ".")
    }
}

/// The name in Apple's form at a user's first sign-in. It is not signed, and is only displayed. It
/// is accepted only together with the state in the same form, so that no other site can set a name.
struct ProviderUserName: Sendable {
    private let state: String
    private let name: String

    private static let bytesMax = 1500
    private static let nameBytesMax = 1000

    /// - Parameter name: `{"name": {"firstName": …, "lastName": …}}`.
    init?(state: String, name: String) {
        guard Base64URL.decode(state)?.count == 32, name.utf8.count <= Self.nameBytesMax else {
            return nil
        }
        self.state = state
        self.name = name
    }

    init?(cookie: String?) {
        guard let cookie, cookie.utf8.count <= Self.bytesMax else { return nil }
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let name = Base64URL.decode(parts[1]) else { return nil }
        self.init(state: String(parts[0]), name: String(decoding: name, as: UTF8.self))
    }

    var cookie: String { "\(state).\(Base64URL.encode(Array(name.utf8)))" }

    func name(_ state: String) -> PersonName? {
        guard self.state.isSame(as: state),
            let parts = (try? JSON.parse(Array(name.utf8), limits: .request))?["name"]
        else { return nil }
        return PersonName(
            given: parts["firstName"]?.stringValue, family: parts["lastName"]?.stringValue)
    }
}

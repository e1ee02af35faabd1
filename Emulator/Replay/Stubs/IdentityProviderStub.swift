internal import EmulatorHTTP
internal import Cryptography
internal import EmulatorServer
internal import HTTP
internal import JOSE
internal import JSON
internal import Synchronization

/// Apple, Google and an OpenID provider on a loopback port, and the tokens that they issue.
final class IdentityProviderStub: Sendable {
    static let appleClientID = "com.example.app"
    static let googleClientID = "client.apps.googleusercontent.com"
    static let acmeClientID = "acme-client"
    static let appleRefreshToken = "r.apple.refresh.token.0123456789abcdef"

    let key: LazyKey
    let strangersKey: LazyKey
    private let server: Server
    private let counter = Atomic<Int64>(0)

    private final class Seen: Sendable {
        private let paths = Mutex<Set<String>>([])

        func isFirst(_ path: String) -> Bool { paths.withLock { $0.insert(path).inserted } }
    }

    init(random: RandomSource) throws(ServerFailure) {
        let key = LazyKey(random: random)
        self.key = key
        strangersKey = LazyKey(random: random)
        let seen = Seen()
        server = try Server { request, slot in
            // A provider that is up once, and down ever after.
            if request.path.hasPrefix("/once/"), seen.isFirst(String(request.path)) {
                slot.respond(Self.json(Self.keySet(key)))
            } else {
                slot.respond(Self.reply(to: request, key))
            }
        }
    }

    var url: String { "http://127.0.0.1:\(server.port)" }

    func stop() { server.stop() }

    func nextSerial() -> Int64 { counter.add(1, ordering: .relaxed).newValue }

    private static func reply(
        to request: ServerRequest, _ key: LazyKey
    ) -> ServerResponse {
        let base = "http://\(request.header("host") ?? "")"
        let path = String(request.path)
        switch path {
        case "/apple/auth/keys", "/google/oauth2/v3/certs", "/acme/keys": return json(keySet(key))
        case "/acme/.well-known/openid-configuration", "/impostor/.well-known/openid-configuration":
            return json([
                "issuer": .string("\(base)/acme"), "jwks_uri": .string("\(base)/acme/keys"),
            ])
        case "/apple/auth/token":
            let isGood = String(decoding: request.body, as: UTF8.self).contains("code=good-code")
            return isGood
                ? json([
                    "access_token": "a.apple.access.token", "token_type": "Bearer",
                    "expires_in": 3600, "refresh_token": .string(appleRefreshToken),
                ])
                : json(["error": "invalid_grant"], status: 400)
        default:
            if path.hasPrefix("/empty/") { return json(["keys": []]) }
            if path.hasPrefix("/html/") {
                return ServerResponse(status: 200, body: Array("<html>Oops</html>".utf8))
            }
            return json(["error": "down"], status: 503)
        }
    }

    private static func keySet(_ key: LazyKey) -> JSON {
        let published = (try? key.value())?.publicJWK
        return ["keys": .array(published.map { [.object($0)] } ?? [])]
    }

    private static func json(_ body: JSON, status: Int = 200) -> ServerResponse {
        ServerResponse(
            status: status, headers: [HTTPHeader("Content-Type", "application/json")],
            body: body.serialized)
    }
}

/// A key that is made when it is needed: an RSA key takes longer than many a replay.
final class LazyKey: Sendable {
    private let random: RandomSource
    private let made = Mutex<SigningKey?>(nil)

    init(random: RandomSource) { self.random = random }

    func value() throws(KeyFailure) -> SigningKey {
        try made.withLock { made throws(KeyFailure) in
            if let made { return made }
            let key = try SigningKey.generate(.rs256, random: random)
            made = key
            return key
        }
    }
}

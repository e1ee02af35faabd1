internal import Bytes
package import Cryptography
package import EmulatorBase
internal import HTTP
internal import JOSE
package import JSON
internal import Synchronization
internal import Time

/// An OpenID Connect provider over TLS, whose identity tokens a function accepts if it accepts the
/// server's certificate.
package final class TLSProvider: Sendable {
    package let host: String
    private let key: SigningKey
    private let server: Server
    private let seen: Seen

    private final class Seen: Sendable {
        let requests = Mutex<[ServerRequest]>([])
        let issuer = Mutex("")
    }

    /// - Parameter host: the host name in its URLs, which its certificate need not have.
    package init(
        _ authority: TestAuthority, host: String = "localhost",
        certifiedFor hosts: [CertificateHost] = [
            .name("localhost"), .name(TestAuthority.domain),
        ], _ age: TestAuthority.Age = .current
    ) throws {
        self.host = host
        let key = try SigningKey.generate(.es256, random: .system)
        self.key = key
        let seen = Seen()
        self.seen = seen
        server = try Server(identity: try authority.identity(hosts, age)) { request, slot in
            seen.requests.withLock { $0.append(request) }
            slot.respond(Self.answer(request, key, seen.issuer.withLock { $0 }))
        }
        seen.issuer.withLock { $0 = "https://\(host):\(server.port)" }
    }

    package var issuer: String { "https://\(host):\(server.port)" }
    package var requests: [ServerRequest] { seen.requests.withLock { $0 } }

    private static func answer(
        _ request: ServerRequest, _ key: SigningKey, _ issuer: String
    ) -> ServerResponse {
        let body: JSON =
            request.path == "/jwks"
            ? ["keys": .array(key.publicJWK.map { [.object($0)] } ?? [])]
            : ["issuer": .string(issuer), "jwks_uri": .string("\(issuer)/jwks")]
        return ServerResponse(
            status: 200, headers: [HTTPHeader("Content-Type", "application/json")],
            body: body.serialized)
    }

    /// The settings of a function for the provider `acme`.
    package var settings: [(name: String, value: String)] {
        [
            ("OIDC_PROVIDERS", "acme"), ("OIDC_ACME_ISSUER", issuer),
            ("OIDC_ACME_CLIENT_IDS", "acme-app"),
        ]
    }

    /// The body of a request to sign in.
    package func signInBody(issuedBy other: String? = nil) throws -> JSON {
        let now = WallClock.system.now().seconds
        let claims: JSONObject = [
            "iss": .string(other ?? issuer), "aud": "acme-app", "sub": "ada",
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 300)),
            "jti": .string(Hex.encode(RandomSource.system.bytes(8))),
        ]
        let token = try JWT.sign(claims, with: key, type: "JWT", includesKeyID: true)
        return ["provider": "acme", "idToken": .string(token)]
    }
}

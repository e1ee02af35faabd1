import BaseTestSupport
import JOSE

/// Latchkey's functions in a template, with an identity provider whose keys are in a file.
struct SignInFunctions: Sendable {
    private let provider: SigningKey
    private let keys: JSON

    init() throws {
        provider = try SigningKey.generate(.es256, random: .system)
        keys = ["keys": .array([.object(try #require(provider.publicJWK))])]
    }

    static let table = "people"

    /// Creates the files and tables that the functions need.
    func prepare(_ folder: TemporaryFolder) throws {
        try folder.write(keys.serialized, to: "jwks.json")
    }

    func functions(_ folder: TemporaryFolder) -> JSONObject {
        let environment = [
            ("STORE", "dynamodb:\(Self.table)"), ("ISSUER", "https://auth.example.com"),
            ("MASTER_KEY", String(repeating: "k", count: 40)), ("OIDC_PROVIDERS", "acme"),
            ("OIDC_ACME_ISSUER", "https://id.example.com"), ("OIDC_ACME_CLIENT_IDS", "acme-app"),
            ("OIDC_ACME_JWKS_FILE", folder.file("jwks.json")), ("REFRESH_GRACE_SECONDS", "300"),
            ("TRUSTED_HOPS", "1"),
        ]
        var resources: JSONObject = ["People": JSONObject.table(Self.table)]
        for name in ["signin", "refresh"] {
            resources[name] = JSONObject.function(
                BuiltExecutables.path(of: name), environment: environment,
                timeoutSeconds: 20, events: ["Route": JSONObject.route("POST", "/auth/\(name)")])
        }
        return resources
    }

    func signInBody(of subject: String) throws -> String {
        let now = WallClock.system.now().seconds
        let token = try JWT.sign(
            [
                "iss": "https://id.example.com", "aud": "acme-app", "sub": .string(subject),
                "iat": .number(now), "exp": .number(now + 300),
                "jti": .string(Hex.encode(RandomSource.system.bytes(8))),
            ], with: provider, type: "JWT", includesKeyID: true)
        let body: JSON = ["provider": "acme", "idToken": .string(token)]
        return body.text
    }
}

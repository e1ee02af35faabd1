import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

/// An Apple developer with a key that signs client secrets.
struct AppleDeveloper: Sendable {
    let teamID = "TEAM123456"
    let key: SigningKey

    init(random: UInt64 = 5, kid: String = "KEY1234567") throws {
        let pem = try #require(try SigningKey.generate(.es256, random: .seeded(random)).pem())
        key = try SigningKey(pem: pem, kid: kid)
    }

    func secret(
        at now: Instant = noon, _ changes: [(String, JSON?)] = [], header: JSONObject? = nil,
        audience: String = "https://appleid.apple.com", key: SigningKey? = nil
    ) throws -> String {
        var claims: JSONObject = [
            "iss": .string(teamID), "iat": .number(now.seconds),
            "exp": .number((now + .minutes(5)).seconds), "aud": .string(audience),
            "sub": .string(IdentityServiceHarness.appleClient),
        ]
        for (name, value) in changes { claims[name] = value }
        let signer = key ?? self.key
        return try JWS.sign(
            claims.serialized, header: header ?? ["kid": .string(signer.kid)], with: signer)
    }

    /// The body of `PUT {issuer}/clients/<id>`.
    var registration: JSON {
        [
            "teamId": .string(teamID),
            "publicKeys": [
                ["keyId": .string(key.kid), "jwk": key.publicJWK.map { .object($0) } ?? .null]
            ],
        ]
    }
}

extension IdentityServiceHarness {
    func redeem(
        _ app: ClientApp, _ code: String, _ changes: [(String, String?)] = [],
        headers: [(String, String)] = []
    ) throws -> ServerResponse {
        var form = [
            ("grant_type", "authorization_code"), ("code", code),
            ("redirect_uri", ClientApp.callback), ("client_id", app.client),
        ]
        switch app.provider {
        case "apple":
            form.append(("client_secret", try AppleDeveloper().secret(at: environment.now)))
        case "google": form.append(("code_verifier", ClientApp.verifier))
        default: form.append(("client_secret", "s3cret/+ ?"))
        }
        for (name, value) in changes {
            form.removeAll { $0.0 == name }
            if let value { form.append((name, value)) }
        }
        let path = app.provider == "apple" ? "/auth/token" : "/token"
        return try post("/_idp/\(app.provider)\(path)", form: form, headers: headers)
    }

    func code(_ app: ClientApp, as account: String = "ada@example.com") throws -> String {
        try #require(approve(app, as: account)["code"])
    }

    func refresh(_ app: ClientApp, _ token: String, client: String? = nil) throws -> ServerResponse
    {
        try redeem(
            app, "",
            [
                ("grant_type", "refresh_token"), ("code", nil), ("redirect_uri", nil),
                ("code_verifier", nil), ("refresh_token", token),
                ("client_id", client ?? app.client),
            ])
    }
}

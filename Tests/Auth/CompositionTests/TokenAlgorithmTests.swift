import AuthTestSupport

/// `JWT_ALGORITHM`, and a store that has the keys of another algorithm.
@Suite("The algorithm of access tokens") struct TokenAlgorithmTests {
    let deployment: TestDeployment
    private let provider: SigningKey
    private let settings: [String: String]

    init() throws {
        deployment = try TestDeployment()
        provider = try SigningKey.generate(.es256, random: .seeded(7))
        let keys: JSON = ["keys": .array([.object(try #require(provider.publicJWK))])]
        settings = [
            "STORE": "sqlite:\(deployment.path("store.db"))", "OIDC_PROVIDERS": "acme",
            "OIDC_ACME_ISSUER": "https://id.example.com", "OIDC_ACME_CLIENT_IDS": "acme-app",
            "OIDC_ACME_JWKS_FILE": try deployment.write("jwks.json", keys.text),
        ]
    }

    private func handler(_ name: String, _ algorithm: String?, seed: UInt64) throws -> Handler {
        var settings = settings
        settings["JWT_ALGORITHM"] = algorithm
        return try deployment.handler(settings, of: name, seed: seed)
    }

    private func json(_ reply: Reply?, status: Int = 200) throws -> JSON {
        let reply = try #require(reply)
        expectEqual(reply.status, status)
        guard case .json(let json)? = reply.body else { return .null }
        return json
    }

    private func signIn(_ algorithm: String?, seed: UInt64) throws -> JSON {
        let now = TestClock().now.seconds
        let token = try JWT.sign(
            [
                "iss": "https://id.example.com", "aud": "acme-app", "sub": "ada",
                "iat": .number(now), "exp": .number(now + 300), "jti": .string(String(seed)),
            ], with: provider, type: "JWT", includesKeyID: true)
        let body: JSON = ["provider": "acme", "idToken": .string(token)]
        return try json(
            deployment.post(
                try handler("signin", algorithm, seed: seed), "/auth/signin", body.text))
    }

    private func me(_ session: JSON, _ algorithm: String?) throws -> Int? {
        guard case .request(let serve) = try handler("me", algorithm, seed: 90).kind else {
            return nil
        }
        let token = try #require(session["accessToken"]?.stringValue)
        let header = HTTPHeader("authorization", "Bearer \(token)")
        return serve(Request(method: "GET", path: "/auth/me", headers: [header], requestID: "1"))
            .status
    }

    private func algorithm(of session: JSON) throws -> String? {
        let token = try #require(session["accessToken"]?.stringValue)
        let header = try #require(token.split(separator: ".").first.flatMap(Base64URL.decode))
        return try JSON.parse(header, limits: .request)["alg"]?.stringValue
    }

    private func published(_ algorithm: String?) throws -> [JSON] {
        let keys = try handler("keys", algorithm, seed: 91)
        let set = try json(deployment.get(keys, "/.well-known/jwks.json"))
        let document = try json(deployment.get(keys, "/.well-known/openid-configuration"))
        expectEqual(
            document["id_token_signing_alg_values_supported"],
            [.string(algorithm ?? "ES256")])
        return set["keys"]?.arrayValue ?? []
    }

    @Test(arguments: [(nil, "ES256", "EC"), ("RS256", "RS256", "RSA"), ("EdDSA", "EdDSA", "OKP")])
    func `latchkey signs with the algorithm that is chosen`(
        setting: String?, algorithm: String, keyType: String
    ) throws {
        let session = try signIn(setting, seed: 1)
        try expectEqual(self.algorithm(of: session), algorithm)
        try expectEqual(me(session, setting), 200)
        let keys = try published(setting)
        expectEqual(keys.map { $0["alg"]?.stringValue }, [algorithm])
        expectEqual(keys.map { $0["kty"]?.stringValue }, [keyType])
    }

    @Test func `a change of the algorithm ends access tokens and no session`() throws {
        let session = try signIn("ES256", seed: 1)
        try expectEqual(me(session, "RS256"), 401)
        let token = try #require(session["refreshToken"]?.stringValue)
        let body: JSON = ["refreshToken": .string(token)]
        let refreshed = try json(
            deployment.post(try handler("refresh", "RS256", seed: 2), "/auth/refresh", body.text))
        try expectEqual(algorithm(of: refreshed), "RS256")
        try expectEqual(me(refreshed, "RS256"), 200)
    }

    @Test func `each algorithm has its own keys in the store`() throws {
        let first = try published("ES256")
        let other = try published("RS256")
        #expect(first.count == 1 && other.count == 1 && first != other)
        try expectEqual(published("ES256"), first)
        try expectEqual(published("RS256"), other)
    }

    @Test(arguments: ["HS256", "none", "es256", "RS512"])
    func `any other algorithm is refused`(name: String) {
        let problems = deployment.problems(["STORE": "memory:", "JWT_ALGORITHM": name])
        expectEqual(
            problems,
            ["JWT_ALGORITHM must be ES256 or RS256 or EdDSA, which the contract signs with"])
    }

    /// AWS verifies RSA and ECDSA alone.
    @Test(arguments: [("ES256", true), ("RS256", true), ("EdDSA", false)])
    func `tokens for STS need an algorithm that it supports`(name: String, isGood: Bool) {
        let problems = deployment.problems(
            [
                "STORE": "memory:", "JWT_ALGORITHM": name, "STORAGE_BUCKET": "photos",
                "STORAGE_ROLE_ARN": "arn:aws:iam::123456789012:role/uploads",
                "STORAGE_CREDENTIALS": "web-identity", "AWS_REGION": "eu-central-1",
            ], of: "credentials")
        expectEqual(problems.isEmpty, isGood, "\(problems)")
        #expect(problems.allSatisfy { $0.hasPrefix("STORAGE_CREDENTIALS=web-identity needs") })
    }

    @Test func `the other contracts have one algorithm each`() {
        let problems = deployment.problems([
            "STORE": "memory:", "CONTRACT": "livlogios", "JWT_ALGORITHM": "ES256",
        ])
        expectEqual(problems, ["JWT_ALGORITHM must be RS256, which the contract signs with"])
    }
}

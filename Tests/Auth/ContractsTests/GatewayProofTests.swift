/// Tokens that are bound to a key (RFC 9449), at the gateway of an application's API.
@Suite("GatewayAuthorizer and proofs") struct GatewayProofTests {
    let kit: AuthKit
    let client: ProvingClient
    let token: String

    init() throws {
        kit = try AuthKit(policy: .testing.with { $0.proofs = ProofPolicy(mode: .optional) })
        client = try ProvingClient(kit)
        token = try client.session().access.reveal()
    }

    private func event(_ proof: String?, path: String = "/prod/photos") -> JSON {
        var headers: JSONObject = ["Authorization": .string("DPoP \(token)")]
        headers["DPoP"] = proof.map { .string($0) }
        return [
            "version": "2.0", "headers": .object(headers), "rawPath": .string(path),
            "requestContext": ["domainName": "api.example.net", "http": ["method": "GET"]],
        ]
    }

    private func isAllowed(_ event: JSON) throws -> Bool? {
        let authorizer = GatewayAuthorizer(kit.auth, mode: .required, form: nil)
        return try authorizer.answer(event) { _ in }["isAuthorized"]?.boolValue
    }

    private func proof(_ url: String, method: String = "GET") throws -> String {
        try client.proof(for: token) {
            $0["htu"] = .string(url)
            $0["htm"] = .string(method)
        }
    }

    @Test(arguments: [
        "https://api.example.net/prod/photos", "https://auth.example.com/prod/photos",
    ])
    func `a proof for the API, or for the issuer, is accepted`(url: String) throws {
        let proof = try proof(url)
        try expectEqual(isAllowed(event(proof)), true)
        try expectEqual(isAllowed(event(proof)), false)
    }

    @Test func `a bound token without a valid proof is denied, and causes no error`() throws {
        try expectEqual(isAllowed(event(nil)), false)
        try expectEqual(isAllowed(event("garbage")), false)
        try expectEqual(isAllowed(event(proof("https://evil.example/prod/photos"))), false)
        try expectEqual(isAllowed(event(proof("https://api.example.net/prod/other"))), false)
        let posted = try proof("https://api.example.net/prod/photos", method: "POST")
        try expectEqual(isAllowed(event(posted)), false)
        let bearer: JSON = [
            "version": "2.0", "headers": ["authorization": .string("Bearer \(token)")],
        ]
        try expectEqual(isAllowed(bearer), false)
    }

    @Test func `for a REST API, the proof contains the path with the stage`() throws {
        let proof = try proof("https://api.example.net/prod/photos")
        let event: JSON = [
            "type": "REQUEST", "httpMethod": "GET",
            "methodArn": "arn:aws:execute-api:eu-central-1:123456789012:api/prod/GET/photos",
            "headers": ["Authorization": .string("DPoP \(token)"), "dpop": .string(proof)],
            "requestContext": ["domainName": "api.example.net", "path": "/prod/photos"],
        ]
        let authorizer = GatewayAuthorizer(kit.auth, mode: .required, form: .simple)
        try expectEqual(authorizer.answer(event) { _ in }["isAuthorized"], true)
    }
}

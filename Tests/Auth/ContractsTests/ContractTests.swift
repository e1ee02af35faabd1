import FunctionRuntime

/// What holds for every contract, and the routes that an application adds to one.
@Suite("Contracts") struct ContractTests {
    @Test func `a route of an application gets the user, the path and the query`() throws {
        let contract = try Self.contract()
        let kit = try ContractKit(contract)
        let user = kit.signedIn()
        let bearer = try #require(user["accessToken"]?.stringValue)
        let request = Request(
            method: "POST", path: "/content/42", query: [("sort", "new")],
            headers: [HTTPHeader("authorization", "Bearer \(bearer)")], requestID: "1")
        let id = user["user"]?["id"] ?? .null
        expectEqual(kit.send(request)?.answer.json, ["content": "42", "user": id, "sort": "new"])
        expectEqual(kit.http("POST", "/content/42").status, 401)
    }

    @Test func `an open route gets the user, if there is one`() throws {
        let kit = try ContractKit(try Self.contract())
        let user = kit.signedIn()
        let bearer = user["accessToken"]?.stringValue
        expectEqual(kit.http("GET", "/content", bearer: bearer)["user"], user["user"]?["id"])
        expectEqual(kit.http("GET", "/content").json, ["user": .null])
        expectEqual(kit.http("GET", "/content", bearer: "junk").status, 401)
    }

    private static func contract() throws -> Contract {
        let latchkey = Contract.latchkey
        let endpoints: [Endpoint] = [
            .signedIn(AuthOperation("favorite"), .post("/content/{id}")) { call, principal, _ in
                Answer([
                    "content": .string(call.parameter("id")),
                    "user": .string(principal.user.id.text),
                    "sort": call.query("sort").map { .string($0) } ?? .null,
                ])
            },
            .optionallySignedIn(AuthOperation("content"), .get("/content")) { _, principal, _ in
                Answer(["user": principal.map { .string($0.user.id.text) } ?? .null])
            },
        ]
        return Contract(
            name: latchkey.name, policy: latchkey.policy,
            endpoints: latchkey.endpoints + endpoints, errors: latchkey.errors)
    }

    @Test func `a token of one contract is refused by another that has the same key and issuer`()
        throws
    {
        let kits = try Contract.all.map { try ContractKit($0) }
        for (index, kit) in kits.enumerated() {
            var user = User(
                id: UserID(random: .seeded(1)), email: nil, isEmailVerified: false,
                displayName: nil, identities: [], createdAt: kit.clock.now)
            user.publicID = 1
            let token = try kit.auth.accessTokens.signer(for: .me, Caller()).issue(
                to: user, session: SessionID(random: .seeded(2)), boundTo: nil, at: kit.clock.now
            ).reveal()
            for (other, judge) in kits.enumerated() {
                let isAccepted =
                    (try? judge.auth.accessTokens.verify(token, at: kit.clock.now)) != nil
                expectEqual(isAccepted, index == other)
            }
        }
    }

    @Test func `every contract is found by its exact name`() {
        for contract in Contract.all {
            expectEqual(Contract.named(contract.name)?.name, contract.name)
        }
        expectEqual(Set(Contract.all.map(\.name)).count, Contract.all.count)
        for name in ["", "Latchkey", "latchkey ", "lat\u{212A}hkey", "nothing"] {
            #expect(Contract.named(name) == nil)
        }
    }

    @Test func `providers' tokens are kept where housekeeping revokes them, and nowhere else`() {
        for contract in Contract.all {
            let revokes = contract.endpoints.contains {
                $0.operation == .housekeeping && $0.needs.contains(.erasure)
            }
            expectEqual(contract.policy.identity.keepsTokens, revokes, "\(contract.name)")
        }
    }
}

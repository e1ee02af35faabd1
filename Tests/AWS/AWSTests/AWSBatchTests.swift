@Suite struct AWSBatchTests {
    private func client(_ fake: FakeAWS, credentials: CredentialsProvider = .fixed(testKeys))
        throws -> DynamoDBClient
    {
        DynamoDBClient(try settings(), fake.ports(), credentials: credentials)
    }

    private static let calls = [
        AWSCall("UpdateItem", ["n": 0], repeating: .onlyWhenNothingHappened),
        AWSCall("GetItem", ["n": 1]), AWSCall("BatchGetItem", ["n": 2]),
    ]
    private static let throttled = answer(400, #"{"__type":"ThrottlingException"}"#)

    private func bodies(_ fake: FakeAWS) throws -> [JSON] {
        try fake.requests.map { try JSON.parse($0.body, limits: .request)["n"] ?? .null }
    }

    @Test func `results are in the order of the calls`() throws {
        let fake = FakeAWS(answer(200, #"{"a":0}"#), answer(400, "{}"), answer(200, #"{"a":2}"#))
        let outcomes = try client(fake).callAll(Self.calls)
        try expectEqual(outcomes[0].get(), ["a": 0])
        #expect(throws: AWSFailure.self) { try outcomes[1].get() }
        try expectEqual(outcomes[2].get(), ["a": 2])
        expectEqual(fake.requests.count, 3)
        #expect(fake.sleeps.isEmpty)
        expectEqual(
            fake.requests.map { header("x-amz-target", of: $0) },
            Self.calls.map { "DynamoDB_20120810.\($0.operation)" })
    }

    @Test func `only failed calls of a batch are retried, each as often as a single call`() throws {
        let fake = FakeAWS(
            Self.throttled, answer(200, "{}"), answer(503, ""), answer(200, "{}"), answer(503, ""),
            answer(503, ""), answer(503, ""))
        let outcomes = try client(fake).callAll(Self.calls)
        try expectEqual(outcomes[0].get(), [:])
        try expectEqual(outcomes[1].get(), [:])
        guard case .failure(.refused(let refusal)) = outcomes[2] else {
            Issue.record("\(outcomes[2])")
            return
        }
        expectEqual(refusal.status, 503)
        try expectEqual(bodies(fake), [0, 1, 2, 0, 2, 2, 2])
        expectEqual(fake.sleeps.count, 3)
    }

    @Test(arguments: [HTTPFailure.timedOut, .interrupted(detail: "")])
    func `idempotent calls are retried after a lost response`(failure: HTTPFailure) throws {
        let fake = FakeAWS([
            .failure(failure), .failure(failure), .success(answer(200, "{}")),
            .success(answer(200, "{}")),
        ])
        let outcomes = try client(fake).callAll(Self.calls)
        #expect(throws: AWSFailure.unreachable(failure, mayHaveHappened: true)) {
            try outcomes[0].get()
        }
        try expectEqual(outcomes.dropFirst().map { try $0.get() }, [[:], [:]])
        try expectEqual(bodies(fake), [0, 1, 2, 1])
    }

    @Test func `every call is retried after a refused connection`() throws {
        let refused = Result<HTTPResponse, HTTPFailure>.failure(.connectFailed(detail: ""))
        let fine = Result<HTTPResponse, HTTPFailure>.success(answer(200, "{}"))
        let fake = FakeAWS([refused, refused, refused, fine, fine, fine])
        try expectEqual(client(fake).callAll(Self.calls).map { try $0.get() }, [[:], [:], [:]])
        try expectEqual(bodies(fake), [0, 1, 2, 0, 1, 2])
    }

    @Test func `all attempts share the total time`() throws {
        let fake = FakeAWS(answer(503, ""), answer(503, ""), answer(503, ""))
        var ports = fake.ports()
        ports.sleep = { _ in fake.advance(.seconds(60)) }
        let client = DynamoDBClient(try settings(), ports, credentials: .fixed(testKeys))
        #expect(throws: AWSFailure.self) { try client.callAll([Self.calls[1]])[0].get() }
        expectEqual(fake.requests.count, 2)
    }

    @Test func `without credentials nothing is sent`() throws {
        let fake = FakeAWS()
        let none = CredentialsProvider { () throws(CredentialsFailure) in throw .missing }
        for outcome in try client(fake, credentials: none).callAll(Self.calls) {
            #expect(throws: AWSFailure.credentials(.missing)) { try outcome.get() }
        }
        #expect(fake.requests.isEmpty)
    }
}

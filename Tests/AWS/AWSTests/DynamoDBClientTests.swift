private func client(_ fake: FakeAWS, retry: RetryPolicy = .standard) throws -> DynamoDBClient {
    DynamoDBClient(try settings(), fake.ports(retry: retry), credentials: .fixed(testKeys))
}

private func error(_ code: String, _ rest: String = "") -> HTTPResponse {
    answer(400, #"{"__type":"com.amazonaws.dynamodb.v20120810#\#(code)"\#(rest)}"#)
}

private func failure(of fake: FakeAWS, repeating: Repetition = .always) throws -> AWSFailure? {
    let client = try client(fake)
    do throws(AWSFailure) {
        _ = try client.call(operation: "PutItem", body: [:], repeating: repeating)
        return nil
    } catch {
        return error
    }
}

private let unavailable = answer(503, "")

@Suite struct DynamoDBClientTests {
    @Test func `a call is a signed JSON POST and returns JSON`() throws {
        let fake = FakeAWS(answer(200, "{}", headers: [HTTPHeader("x-amz-crc32", "2745614147")]))
        let body: JSON = ["TableName": "users", "Key": ["pk": ["S": "u#1"]]]
        try expectEqual(client(fake).call(operation: "GetItem", body: body), [:])
        let request = try #require(fake.requests.first)
        expectEqual(request.method, .post)
        expectEqual(request.url, "https://dynamodb.eu-west-1.amazonaws.com/")
        expectEqual(header("x-amz-target", of: request), "DynamoDB_20120810.GetItem")
        expectEqual(header("content-type", of: request), "application/x-amz-json-1.0")
        expectEqual(header("x-amz-date", of: request), "20250102T030405Z")
        expectEqual(header("x-amz-security-token", of: request), "session")
        expectEqual(
            header("authorization", of: request)?.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20250102/eu-west-1/dynamodb/aws4_request,"
            ), true)
        expectEqual(request.body, body.serialized)
    }

    @Test func `a failed condition includes the item`() throws {
        let fake = FakeAWS(
            error(
                "ConditionalCheckFailedException",
                #","message":"The conditional request failed","Item":{"pk":{"S":"u#1"}}"#))
        guard case .refused(let refusal) = try failure(of: fake) else {
            Issue.record("not refused")
            return
        }
        expectEqual(refusal.status, 400)
        expectEqual(refusal.code, "ConditionalCheckFailedException")
        expectEqual(refusal.message, "The conditional request failed")
        expectEqual(refusal.item, ["pk": ["S": "u#1"]])
        expectEqual(fake.requests.count, 1)
    }

    @Test func `printing an error shows its code and no data`() throws {
        let fake = FakeAWS(
            error(
                "ConditionalCheckFailedException",
                #","message":"about ann@example.com","Item":{"mail":{"S":"ann@example.com"}}"#))
        let outcome = try #require(try failure(of: fake))
        var dumped = ""
        dump(outcome, to: &dumped)
        for text in ["\(outcome)", String(reflecting: outcome), dumped] {
            #expect(text.contains("ConditionalCheckFailedException"))
            #expect(!text.contains("ann"))
        }
    }

    @Test func `a cancelled transaction has its reasons in order`() throws {
        let fake = FakeAWS(
            error(
                "TransactionCanceledException",
                #","Message":"Transaction cancelled, …","CancellationReasons":["#
                    + #"{"Code":"ConditionalCheckFailed","Message":"m"},{"Code":"None"}]"#))
        guard case .refused(let refusal) = try failure(of: fake) else {
            Issue.record("not refused")
            return
        }
        expectEqual(refusal.cancellationCodes, ["ConditionalCheckFailed", "None"])
        #expect(refusal.message.hasPrefix("Transaction cancelled"))
        expectEqual(fake.requests.count, 1)
    }

    @Test(arguments: [
        (#"{"__type":"a#B"}"#, "B"), (#"{"__type":"B"}"#, "B"), (##"{"__type":"#"}"##, ""),
        (#"{"__type":7}"#, ""), ("{}", ""), ("<UnknownOperationException/>\n", ""), ("", ""),
        ("[]", ""),
    ])
    func `the error code is the part after the namespace`(body: String, code: String) throws {
        guard case .refused(let refusal) = try failure(of: FakeAWS(answer(400, body))) else {
            Issue.record("not refused")
            return
        }
        expectEqual(refusal.code, code)
    }

    @Test func `the error code may also be in a header`() throws {
        let type = HTTPHeader("x-amzn-errortype", "ThrottlingException:http://internal.example/")
        let fake = FakeAWS(answer(400, "", headers: [type]), answer(200, "{}"))
        try expectEqual(failure(of: fake), nil)
        expectEqual(fake.requests.count, 2)
    }

    @Test func `a body with a wrong checksum is requested again`() throws {
        let damaged = answer(200, "{ }", headers: [HTTPHeader("x-amz-crc32", "2745614147")])
        let fake = FakeAWS(damaged, answer(200, #"{"a":1}"#))
        try expectEqual(client(fake).call(operation: "GetItem", body: [:]), ["a": 1])
        try expectEqual(
            failure(of: FakeAWS(damaged, damaged, damaged, damaged)), .malformedResponse)
    }

    @Test(arguments: ["", "-1", "4294967296", "2745614147 ", "abc"])
    func `an invalid checksum never matches`(value: String) throws {
        let odd = answer(200, "{}", headers: [HTTPHeader("x-amz-crc32", value)])
        try expectEqual(failure(of: FakeAWS(odd, odd, odd, odd)), .malformedResponse)
    }

    @Test(arguments: ["", "[]", "null", "{", #"{"a":1,"a":2}"#, "\u{FEFF}{}"])
    func `a response that is not an object is malformed`(body: String) throws {
        let odd = answer(200, body)
        try expectEqual(failure(of: FakeAWS(odd, odd, odd, odd)), .malformedResponse)
    }

    @Test(arguments: [
        "ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded",
        "TransactionInProgressException", "TransactionConflictException",
    ])
    func `throttled calls are retried, idempotent or not`(code: String) throws {
        for repeating in [Repetition.always, .onlyWhenNothingHappened] {
            let fake = FakeAWS(error(code), answer(200, "{}"))
            try expectEqual(failure(of: fake, repeating: repeating), nil)
            expectEqual(fake.requests.count, 2)
        }
    }

    @Test func `a transaction conflict is retried`() throws {
        let conflict = error(
            "TransactionCanceledException",
            #","CancellationReasons":[{"Code":"None"},{"Code":"TransactionConflict"}]"#)
        let fake = FakeAWS(conflict, answer(200, "{}"))
        try expectEqual(failure(of: fake, repeating: .onlyWhenNothingHappened), nil)
        let mixed = error(
            "TransactionCanceledException",
            #","CancellationReasons":[{"Code":"ConditionalCheckFailed"},"#
                + #"{"Code":"TransactionConflict"}]"#)
        let decided = FakeAWS(mixed, answer(200, "{}"))
        #expect(try failure(of: decided) != nil)
        expectEqual(decided.requests.count, 1)
    }

    @Test(arguments: [
        HTTPFailure.timedOut, .interrupted(detail: "x"), .connectFailed(detail: "x"),
    ])
    func `calls are retried after a lost response if that is safe`(
        failure lost: HTTPFailure
    ) throws {
        let fake = FakeAWS([.failure(lost), .success(answer(200, "{}"))])
        try expectEqual(failure(of: fake), nil)
        let careful = FakeAWS([.failure(lost), .success(answer(200, "{}"))])
        let outcome = try failure(of: careful, repeating: .onlyWhenNothingHappened)
        if case .connectFailed = lost {
            expectEqual(outcome, nil)
        } else {
            expectEqual(outcome, .unreachable(lost, mayHaveHappened: true))
            expectEqual(careful.requests.count, 1)
        }
    }

    @Test(arguments: [500, 502, 503, 504])
    func `calls are retried after server errors if that is safe`(status: Int) throws {
        let fake = FakeAWS(answer(status, ""), answer(200, "{}"))
        try expectEqual(failure(of: fake), nil)
        let careful = FakeAWS(answer(status, ""), answer(200, "{}"))
        #expect(try failure(of: careful, repeating: .onlyWhenNothingHappened) != nil)
        expectEqual(careful.requests.count, 1)
    }

    @Test(arguments: [
        "ConditionalCheckFailedException", "ValidationException", "ResourceNotFoundException",
        "AccessDeniedException", "UnrecognizedClientException", "InvalidSignatureException",
        "SerializationException", "IdempotentParameterMismatchException", "",
    ])
    func `permanent errors are not retried`(code: String) throws {
        let fake = FakeAWS(error(code), answer(200, "{}"))
        let outcome = try #require(try failure(of: fake))
        #expect(!outcome.isTransient)
        expectEqual(fake.requests.count, 1)
    }

    @Test(arguments: [HTTPFailure.invalidURL, .responseTooLarge])
    func `permanent transport failures are not retried`(lost: HTTPFailure) throws {
        let fake = FakeAWS([.failure(lost), .success(answer(200, "{}"))])
        #expect(try failure(of: fake) != nil)
        expectEqual(fake.requests.count, 1)
    }

    @Test func `attempts are limited, with pauses up to a doubling maximum`() throws {
        let fake = FakeAWS(Array(repeating: .success(unavailable), count: 10))
        let outcome = try #require(try failure(of: fake))
        #expect(outcome.isTransient)
        expectEqual(fake.requests.count, 4)
        expectEqual(fake.sleeps.count, 3)
        for (pause, bound) in zip(fake.sleeps, [50, 100, 200]) {
            #expect((0...Int64(bound)).contains(pause.milliseconds))
        }
    }

    @Test func `the total time is limited, and an attempt gets at most the rest`() throws {
        let fake = FakeAWS(Array(repeating: .success(unavailable), count: 100))
        let policy = RetryPolicy(
            attemptsMax: 100, firstPauseMillisecondsMax: 400, pauseMillisecondsMax: 1000,
            totalMillisecondsMax: 3000)
        #expect(throws: AWSFailure.self) {
            try client(fake, retry: policy).call(operation: "GetItem", body: [:])
        }
        #expect(fake.requests.count > 1)
        #expect(fake.sleeps.reduce(0) { $0 + $1.milliseconds } < 3000)
        var spent: Int64 = 0
        for (request, pause) in zip(fake.requests, [.zero] + fake.sleeps) {
            spent += pause.milliseconds
            expectEqual(request.limits.totalMillisecondsMax, Int(3000 - spent))
        }
    }

    @Test func `each attempt is signed with its own time`() throws {
        let fake = FakeAWS(unavailable, answer(200, "{}"))
        let policy = RetryPolicy(
            attemptsMax: 2, firstPauseMillisecondsMax: 1 << 20, pauseMillisecondsMax: 1 << 20,
            totalMillisecondsMax: 1 << 21)
        _ = try client(fake, retry: policy).call(operation: "GetItem", body: [:])
        let dates = Set(fake.requests.compactMap { header("x-amz-date", of: $0) })
        expectEqual(dates.count, 2)
    }

    @Test func `without credentials nothing is sent`() throws {
        let fake = FakeAWS()
        let client = DynamoDBClient(
            try settings(), fake.ports(),
            credentials: CredentialsProvider { () throws(CredentialsFailure) in throw .missing })
        #expect(throws: AWSFailure.credentials(.missing)) {
            try client.call(operation: "GetItem", body: [:])
        }
        #expect(fake.requests.isEmpty)
    }

    @Test(arguments: [
        ("{}", UInt32(2_745_614_147)), ("123456789", 0xCBF4_3926), ("", 0),
        ("healthy: dynamodb.us-east-1.amazonaws.com ", 3_128_867_991),
        ("<UnknownOperationException/>\n", 3_552_371_480),
    ])
    func `CRC-32 matches the service's`(text: String, checksum: UInt32) {
        expectEqual(CRC32.checksum(Array(text.utf8)), checksum)
    }
}

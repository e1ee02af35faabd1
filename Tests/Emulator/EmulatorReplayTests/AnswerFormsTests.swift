import BaseTestSupport
import EmulatorReplay

/// The short form of answers, with a contract's `answers.json` and without.
@Suite("AnswerForms") struct AnswerFormsTests {
    private static let forms = try? AnswerForms(
        [
            "types": [
                "json": ["content-type": "application/json", "cache-control": "no-store"],
                "empty": ["cache-control": "no-store"], "page": ["content-type": "text/html"],
            ],
            "error": ["error": ["code": "<code>", "message": "<message>", "field": "<field>"]],
            "errors": [
                "401 UNAUTHORIZED": [
                    "message": "Who?", "headers": ["www-authenticate": "Bearer"],
                ],
                "401 UNAUTHORIZED invalid": "Not you.",
                "400 WRONG": ["message": "It is wrong.", "field": "token"],
                "403 REFUSED": ["body": ["error": ["code": "REFUSED", "reason": "region"]]],
            ],
        ], at: "answers")

    private static func whole(
        _ status: Int64, _ headers: JSONObject, _ body: JSON?, cookies: JSON? = nil
    ) -> JSON {
        var object: JSONObject = ["statusCode": .number(status), "headers": .object(headers)]
        object["cookies"] = cookies
        object["body"] = body
        object["isBase64Encoded"] = false
        return .object(object)
    }

    private static let json: JSONObject = [
        "content-type": "application/json", "cache-control": "no-store",
    ]

    private static func error(_ status: Int64, _ members: JSON, _ more: JSONObject = [:]) -> JSON {
        var headers = json
        for (name, value) in more.members { headers[name] = value }
        return whole(status, headers, ["error": members])
    }

    private static let pairs: [(short: JSON, whole: JSON)] = [
        (["status": 200, "body": ["a": 1]], whole(200, json, ["a": 1])),
        (["status": 204], whole(204, ["cache-control": "no-store"], nil)),
        (
            ["status": 200, "type": "page", "cookies": ["a=b"], "body": "<p>"],
            whole(200, ["content-type": "text/html"], "<p>", cookies: ["a=b"])
        ),
        (
            ["status": 302, "headers": ["cache-control": .null, "location": "signin"]],
            whole(302, ["location": "signin"], nil)
        ),
        (
            "401 UNAUTHORIZED",
            error(401, ["code": "UNAUTHORIZED", "message": "Who?"], ["www-authenticate": "Bearer"])
        ),
        ("401 UNAUTHORIZED invalid", error(401, ["code": "UNAUTHORIZED", "message": "Not you."])),
        (
            "400 WRONG",
            error(400, ["code": "WRONG", "message": "It is wrong.", "field": "token"])
        ),
        (
            "400 WRONG code: Wrong: no code.",
            error(400, ["code": "WRONG", "message": "Wrong: no code.", "field": "code"])
        ),
        ("409 NEW: New.", error(409, ["code": "NEW", "message": "New."])),
        ("403 REFUSED", error(403, ["code": "REFUSED", "reason": "region"])),
        (
            ["error": "409 NEW: New.", "headers": ["retry-after": "<retrySeconds>"]],
            error(409, ["code": "NEW", "message": "New."], ["retry-after": "<retrySeconds>"])
        ),
    ]

    @Test(arguments: pairs.indices)
    func `short forms and whole answers can be converted into each other`(_ index: Int) throws {
        let forms = try #require(Self.forms)
        let (short, whole) = Self.pairs[index]
        try expectEqual(forms.expanded(short), whole)
        expectEqual(forms.abbreviated(whole), short)
    }

    @Test func `without common parts, an answer's short form has all its members`() throws {
        let whole: JSON = ["statusCode": 201, "body": "made"]
        expectEqual(AnswerForms.none.abbreviated(whole), ["status": 201, "body": "made"])
        try expectEqual(AnswerForms.none.expanded(["status": 201, "body": "made"]), whole)
    }

    @Test(arguments: [["answer": 1], ["statusCode": "x"], [1], "text"] as [JSON])
    func `an answer that answers no request has no short form`(_ whole: JSON) throws {
        expectEqual(try #require(Self.forms).abbreviated(whole), nil)
    }

    @Test(
        arguments: [
            ("409 NEW", "has no message"), ("teapot", "expected 'STATUS CODE"),
            (["status": 200, "type": "film"], "'film' is not in the contract's answers"),
            (["body": 1], "answer.status is not a whole number"),
            (["status": 200, "boddy": 1], "answer.boddy is unknown"),
            (["error": "400 WRONG", "status": 400], "answer.error says status and body"),
        ] as [(JSON, String)])
    func `mistakes in the forms are reported`(_ short: JSON, _ reason: String) throws {
        let forms = try #require(Self.forms)
        let error = try #require(throws: FixtureFailure.self) { try forms.expanded(short) }
        #expect("\(error)".contains(reason), "\(error)")
    }
}

/// Fixtures with `answer`, in a folder.
@Suite("Fixtures with their answers") struct ShortAnswerTests {
    private func bench(_ answer: String) throws -> FixtureWorkspace {
        let bench = try FixtureWorkspace()
        try bench.install(
            "f",
            """
            #!/bin/sh
            echo '{"statusCode":404,"headers":{"a":"b"},"body":"{\\"code\\":\\"LOST\\"}"}'
            """)
        try bench.write(
            #"{"types": {"json": {"a": "b"}}, "error": {"code": "<code>"}}"#,
            to: "Events/mine.answers.json")
        try bench.write(#"{"contract": "mine"}"#, to: "Events/settings.json")
        try bench.write(#"{"request": "GET /x"\#(answer)}"#, to: "Events/f/a.json")
        return bench
    }

    @Test func `the whole answer is compared`() throws {
        let bench = try bench(
            #", "answer": {"error": "404 LOST", "isBase64Encoded": true}"#)
        expectEqual(bench.replay(), 1)
        #expect(bench.text.contains("isBase64Encoded: missing"), "\(bench.text)")
    }

    @Test func `a new fixture gets its answer, and an update replaces it`() throws {
        let bench = try bench("")
        expectEqual(bench.replay(), 1)
        #expect(!bench.folder.exists("Events/f/a.response.json"))
        #expect(try bench.read("Events/f/a.json").contains(#""answer": {"#))
        expectEqual(bench.replay(), 0)
    }

    @Test func `an answer both in the fixture and in its own file is refused`() throws {
        let bench = try bench(#", "answer": "404 LOST""#)
        try bench.write("{}", to: "Events/f/a.response.json")
        expectEqual(bench.replay(), 1)
        #expect(
            bench.text.contains("the answer is in f/a.json and in f/a.response.json"),
            "\(bench.text)")
    }
}

import BaseTestSupport
import EmulatorBase
import EmulatorLambda
import Foundation
import FoundationNetworking

/// The Lambda API over HTTP, as SDKs use it.
@Suite("Invoke API") struct InvokeAPITests {
    struct InvokeServer {
        let kit: FunctionServiceHarness
        let server: Server

        init(
            _ definitions: [FunctionConfiguration],
            _ settings: FunctionSettings = FunctionSettings()
        )
            throws
        {
            kit = try FunctionServiceHarness(definitions, settings: settings)
            let api = InvokeAPI(kit.service)
            server = try Server(
                limits: ServerLimits(bodyBytesMax: (6 << 20) + 1), tooLarge: { api.tooLarge($0) }
            ) { api.handle($0, $1) }
        }

        func call(
            _ method: String = "POST", _ path: String, _ body: String = "",
            _ headers: [String: String] = [:]
        ) async throws -> (status: Int, headers: [String: String], body: String) {
            let url = URL(string: "http://127.0.0.1:\(server.port)/2015-03-31/functions\(path)")
            var request = URLRequest(url: try #require(url))
            request.httpMethod = method
            if method == "POST" { request.httpBody = Data(body.utf8) }
            for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
            let (data, response) = try await URLSession.shared.data(for: request)
            let http = try #require(response as? HTTPURLResponse)
            var found: [String: String] = [:]
            for (name, value) in http.allHeaderFields {
                found["\(name)".lowercased()] = "\(value)"
            }
            return (http.statusCode, found, String(decoding: data, as: UTF8.self))
        }
    }

    @Test(arguments: [
        "subject", "subject:$LATEST", "123456789012:function:subject",
        "us-east-1:123456789012:function:subject",
        "arn:aws:lambda:us-east-1:123456789012:function:subject",
        "arn:aws:lambda:us-east-1:123456789012:function:subject:$LATEST",
        "arn%3Aaws%3Alambda%3Aus-east-1%3A123456789012%3Afunction%3Asubject",
    ])
    func `a function can be named in many ways`(name: String) async throws {
        let face = try InvokeServer([FunctionServiceHarness.definition()])
        let answer = try await face.call("POST", "/\(name)/invocations", #"{"a":[1,2.50]}"#)
        expectEqual(answer.status, 200)
        expectEqual(answer.body, #"{"a": [1, 2.5]}"#)
        expectEqual(answer.headers["x-amz-executed-version"], "$LATEST")
        expectEqual(answer.headers["content-type"], "application/json")
        expectEqual(answer.headers["x-amzn-requestid"]?.count, 36)
        expectEqual(answer.headers["x-amz-function-error"], nil)
    }

    struct ErrorCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var path = "/subject/invocations"
        var body = "{}"
        var headers: [String: String] = [:]
        let status: Int
        let type: String
        let text: String
    }

    private static let arn = "arn:aws:lambda:us-east-1:123456789012:function"
    private static let refusals = [
        ErrorCase(
            testDescription: "unknown", path: "/nope/invocations", status: 404,
            type: "ResourceNotFoundException",
            text: #"{"Type":"User","Message":"Function not found: \#(arn):nope"}"#),
        ErrorCase(
            testDescription: "unknown qualifier", path: "/subject/invocations?Qualifier=live",
            status: 404, type: "ResourceNotFoundException",
            text: #"{"Type":"User","Message":"Function not found: \#(arn):subject:live"}"#),
        ErrorCase(
            testDescription: "another region",
            path: "/arn:aws:lambda:eu-west-1:123456789012:function:subject/invocations",
            status: 404, type: "ResourceNotFoundException", text: "Function not found"),
        ErrorCase(
            testDescription: "qualifiers that differ",
            path: "/subject:$LATEST/invocations?Qualifier=1", status: 400,
            type: "InvalidParameterValueException", text: "derived qualifier"),
        ErrorCase(
            testDescription: "a name that is none", path: "/a%20b/invocations", status: 400,
            type: "ValidationException", text: "functionName"),
        ErrorCase(
            testDescription: "no JSON", body: "not json", status: 400,
            type: "InvalidRequestContentException",
            text: "Could not parse request body into json: Could not parse payload into json: "
                + "Unrecognized token 'not'"),
        ErrorCase(
            testDescription: "another type", headers: ["X-Amz-Invocation-Type": "Later"],
            status: 400, type: "InvalidParameterValueException", text: "invocationType"),
        ErrorCase(
            testDescription: "client context", headers: ["X-Amz-Client-Context": "e30"],
            status: 400, type: "InvalidRequestContentException", text: "Client context"),
        ErrorCase(
            testDescription: "over 6 MB", body: String(repeating: " ", count: 6 << 20) + "{}",
            status: 413, type: "RequestTooLargeException", text: "6291456"),
        ErrorCase(
            testDescription: "event over 1 MB", body: String(repeating: " ", count: 1 << 20) + "{}",
            headers: ["X-Amz-Invocation-Type": "Event"],
            status: 413, type: "RequestTooLargeException", text: "1048576"),
        ErrorCase(
            testDescription: "throttled", path: "/closed/invocations", status: 429,
            type: "TooManyRequestsException",
            text: #"{"Reason":"ReservedFunctionConcurrentInvocationLimitExceeded","Type":"User","#
                + #""message":"Rate Exceeded."}"#),
        ErrorCase(
            testDescription: "another path", path: "/subject/whatever", status: 404,
            type: "UnknownOperationException", text: "whatever"),
    ]

    @Test(arguments: refusals)
    func `errors have Lambda's messages`(refusal: ErrorCase) async throws {
        let face = try InvokeServer([
            FunctionServiceHarness.definition(),
            FunctionServiceHarness.definition("closed", reservedConcurrency: 0),
        ])
        let answer = try await face.call("POST", refusal.path, refusal.body, refusal.headers)
        expectEqual(answer.status, refusal.status)
        expectEqual(answer.headers["x-amzn-errortype"], refusal.type)
        #expect(answer.body.contains(refusal.text))
    }

    @Test func `a function error is a 200 with a header`() async throws {
        let face = try InvokeServer([FunctionServiceHarness.definition()])
        let answer = try await face.call(
            "POST", "/subject/invocations", #"{"do":"what"}"#, ["X-Amz-Log-Type": "Tail"])
        expectEqual(answer.status, 200)
        expectEqual(answer.headers["x-amz-function-error"], "Unhandled")
        expectEqual(answer.body, #"{"errorMessage": "what", "errorType": "ValueError"}"#)
        let tail = try #require(
            answer.headers["x-amz-log-result"].flatMap { Data(base64Encoded: $0) })
        #expect(String(decoding: tail, as: UTF8.self).hasPrefix("START RequestId: "))
    }

    @Test func `an empty body is an empty object`() async throws {
        let face = try InvokeServer([FunctionServiceHarness.definition()])
        try await expectEqual(face.call("POST", "/subject/invocations").body, "{}")
    }

    @Test func `a dry run does not run the function`() async throws {
        let face = try InvokeServer([FunctionServiceHarness.definition()])
        let answer = try await face.call(
            "POST", "/subject/invocations", "{}", ["X-Amz-Invocation-Type": "DryRun"])
        expectEqual(answer.status, 204)
        #expect(answer.body.isEmpty)
        expectEqual(face.kit.service.records.total, 0)
    }

    @Test func `an asynchronous event is accepted at once and tried three times`() async throws {
        let face = try InvokeServer(
            [FunctionServiceHarness.definition()], FunctionSettings(retryMilliseconds: [10, 20]))
        let event = ["X-Amz-Invocation-Type": "Event"]
        let failing = try await face.call(
            "POST", "/subject/invocations", #"{"do":"what"}"#, event)
        expectEqual(failing.status, 202)
        #expect(failing.body.isEmpty)
        expectEqual(failing.headers["x-amz-executed-version"], nil)
        #expect(eventually { face.kit.service.records.total == 3 })
        _ = try await face.call("POST", "/subject/invocations", "{}", event)
        #expect(eventually { face.kit.service.records.total == 4 })
        expectEqual(
            face.kit.service.records.all.map(\.status), [.failed, .failed, .failed, .answered])
    }

    @Test func `functions are listed and described`() async throws {
        let face = try InvokeServer([
            FunctionServiceHarness.definition("b"),
            FunctionServiceHarness.definition("a", environment: [("K", "v")]),
        ])
        let list = try await face.call("GET", "/")
        let functions = try JSON.parse(Array(list.body.utf8), limits: .event)["Functions"]
        expectEqual(
            functions?.arrayValue?.compactMap { $0["FunctionName"]?.stringValue }, ["a", "b"])
        let one = try await face.call("GET", "/a")
        let configuration = try JSON.parse(Array(one.body.utf8), limits: .event)["Configuration"]
        expectEqual(configuration?["Runtime"]?.stringValue, "provided.al2023")
        expectEqual(configuration?["Environment"]?["Variables"]?["K"]?.stringValue, "v")
        expectEqual(configuration?["Timeout"]?.int64Value, 20)
        try await expectEqual(face.call("GET", "/nope").status, 404)
    }
}

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

    struct ErrorCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var path = "/subject/invocations"
        var headers: [String: String] = [:]
        let status: Int
        let type: String
        let text: String
    }

    /// `invoke.py` of ClientTests has the others.
    private static let refusals = [
        ErrorCase(
            testDescription: "another region",
            path: "/arn:aws:lambda:eu-west-1:123456789012:function:subject/invocations",
            status: 404, type: "ResourceNotFoundException", text: "Function not found"),
        ErrorCase(
            testDescription: "another type", headers: ["X-Amz-Invocation-Type": "Later"],
            status: 400, type: "InvalidParameterValueException", text: "invocationType"),
        ErrorCase(
            testDescription: "another path", path: "/subject/whatever", status: 404,
            type: "UnknownOperationException", text: "whatever"),
    ]

    @Test(arguments: refusals)
    func `errors have Lambda's messages`(refusal: ErrorCase) async throws {
        let face = try InvokeServer([FunctionServiceHarness.definition()])
        let answer = try await face.call("POST", refusal.path, "{}", refusal.headers)
        expectEqual(answer.status, refusal.status)
        expectEqual(answer.headers["x-amzn-errortype"], refusal.type)
        #expect(answer.body.contains(refusal.text))
    }

    @Test func `an asynchronous event is accepted at once and tried three times`() async throws {
        let face = try InvokeServer(
            [FunctionServiceHarness.definition()], FunctionSettings(retryMilliseconds: [10, 20]))
        let event = ["X-Amz-Invocation-Type": "Event"]
        let failing = try await face.call("POST", "/subject/invocations", #"{"do":"what"}"#, event)
        expectEqual(failing.status, 202)
        #expect(failing.body.isEmpty)
        expectEqual(failing.headers["x-amz-executed-version"], nil)
        #expect(eventually { face.kit.service.records.total == 3 })
        _ = try await face.call("POST", "/subject/invocations", "{}", event)
        #expect(eventually { face.kit.service.records.total == 4 })
        expectEqual(
            face.kit.service.records.all.map(\.status), [.failed, .failed, .failed, .answered])
    }
}

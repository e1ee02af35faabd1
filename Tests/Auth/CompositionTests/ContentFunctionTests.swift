import AuthTestSupport
import Contracts

/// An application's function that verifies requests itself. Which tokens it accepts is tested with
/// the deployed example (`a content function verifies its requests itself`).
@Suite("Content functions") struct ContentFunctionTests {
    private static let content: [Endpoint] = [
        .signedIn(AuthOperation("greeting"), .get("/greeting")) { _, principal, _ in
            Answer(["user": .string(principal.user.id.text)])
        }
    ]

    private let deployment: TestDeployment

    init() throws { deployment = try TestDeployment() }

    private func handler(
        _ settings: [String: String], of content: [Endpoint] = content
    ) throws(StartFailure) -> Handler {
        try LatchkeyFunction.handler(
            content: content, deployment.assembly(settings), deployment.log)
    }

    private func get(_ path: String, _ contract: String, bearer: String? = nil) throws -> Reply? {
        let handler = try handler(["STORE": "memory:", "CONTRACT": contract])
        guard case .request(let serve) = handler.kind else { return nil }
        let headers = bearer.map { [HTTPHeader("authorization", "Bearer \($0)")] } ?? []
        return serve(Request(method: "GET", path: path, headers: headers, requestID: "1"))
    }

    @Test func `errors have the format of the configured contract`() throws {
        let refused = try #require(try get("/greeting", "whateat", bearer: "junk"))
        expectEqual(refused.status, 401)
        guard case .json(let body)? = refused.body else {
            Issue.record("\(refused)")
            return
        }
        // A string here, an object in latchkey.
        #expect(body["error"]?.stringValue != nil, "\(body.text)")
    }

    /// So a stolen content function cannot sign tokens.
    @Test func `a content function needs no master key if tokens have public keys`() throws {
        let settings = [
            "STORE": "dynamodb:table", "ISSUER": "https://auth.example.com",
            "AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b",
        ]
        func problems(_ contract: String) -> [String] {
            do throws(StartFailure) {
                _ = try handler(settings.merging(["CONTRACT": contract]) { $1 })
                return []
            } catch {
                return error.problems
            }
        }
        expectEqual(problems("latchkey"), [])
        expectEqual(problems("whateat"), ["MASTER_KEY is required with a DynamoDB store"])
    }

    @Test func `an unknown route is not found`() throws {
        try expectEqual(get("/auth/me", "latchkey")?.status, 404)
        #expect(throws: StartFailure.self) { try handler(["STORE": "memory:"], of: []) }
    }
}

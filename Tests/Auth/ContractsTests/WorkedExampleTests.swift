import AuthTestSupport
import Contracts
import Foundation
import FunctionRuntime
import TestSupport

private let example = Contract(
    name: "example", policy: Contract.latchkey.policy,
    endpoints: [
        .signedIn(.describeExample, .get("/auth/session")) { _, principal, auth in
            let session = auth.describeExample(principal)
            return Answer([
                "id": .string(session.id.text),
                "expiresAt": .number(JSONNumber(session.endsAt.seconds)),
                "expiresIn": .number(JSONNumber(session.remaining.seconds)),
            ])
        },
        Contract.latchkey.endpoints[0],
    ], errors: Contract.latchkey.errors)

/// `docs/adding.md` shows how to add an operation; its code is in this directory and is compiled.
@Suite("The worked example of docs/adding.md") struct WorkedExampleTests {
    /// Under other names, so that the tests also compile when the document's are in the sources.
    private static func block(_ index: Int) throws -> String {
        let file = RepositoryRoot.url.appending(path: "docs/adding.md")
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let blocks = text.matches(of: /```swift\n([\s\S]*?)```/).map { String($0.1) }
        let block = try #require(blocks.indices.contains(index) ? blocks[index] : nil)
        return block.replacing("describeSession", with: "describeExample")
            .replacing("SessionDescription", with: "ExampleDescription")
    }

    private static func source(_ name: String) throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: name)
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    @Test func `the operation in the document matches the compiled one`() throws {
        // Outside of its own module, the file needs one more import.
        let domain = "package import AuthDomain\n"
        let expected = try Self.block(0)
            .replacing(domain, with: domain + "package import AuthOperations\n")
        try expectEqual(Self.source("WorkedExample.swift"), expected)
    }

    @Test func `the endpoint in the document matches the compiled one`() throws {
        #expect(try Self.source("WorkedExampleTests.swift").contains(try Self.block(1)))
    }

    @Test func `the example returns the session to a signed-in user, and refuses others`() throws {
        let kit = try ContractKit(.latchkey)
        let signedIn = kit.signedIn()
        let router = Router(example, serving: example.endpoints, kit.auth)
        func answer(_ bearer: String?) -> Answer {
            let header = bearer.map { [HTTPHeader("authorization", "Bearer \($0)")] } ?? []
            return router.outcome(
                of: Request(method: "GET", path: "/auth/session", headers: header, requestID: "1")
            ).answer
        }
        let described = answer(signedIn["accessToken"]?.stringValue)
        expectEqual(described.status, 200)
        #expect(described["id"]?.stringValue.flatMap(SessionID.init(parsing:)) != nil)
        expectEqual(described["expiresIn"]?.int64Value, Span.days(30).seconds)
        #expect(answer(nil).status == 401 && answer("junk").status == 401)
    }
}

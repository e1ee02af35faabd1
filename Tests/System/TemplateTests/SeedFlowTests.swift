import HTTP
import JSON
import Testing

/// What the seeds state about a whole deployment.
@Suite("Flows of the seeds") struct SeedFlowTests {
    @Test func `whateat refuses unknown routes and bad tokens in its own envelope`() throws {
        let deployed = try DeployedTemplate("whateat")
        let signOut = "/api/v1/auth/signout"
        for (answer, status, code) in [
            (try deployed.ask(.get, "/nowhere"), 404, "NOT_FOUND"),
            (try deployed.ask(.get, signOut), 404, "NOT_FOUND"),
            (try deployed.ask(.get, "/api/v1/auth/signin"), 405, "METHOD_NOT_ALLOWED"),
            (try deployed.ask(.post, signOut), 401, "UNAUTHORIZED"),
            (try deployed.ask(.post, signOut, bearer: "junk"), 401, "UNAUTHORIZED"),
        ] {
            #expect(answer.status == status)
            #expect(answer.body.members.map(\.name) == ["error", "code"], "\(answer.body.text)")
            #expect(answer.body["code"]?.stringValue == code)
        }
        #expect(deployed.denials == [])
    }
}

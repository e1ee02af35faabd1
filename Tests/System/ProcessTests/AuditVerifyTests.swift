import AuthTestSupport
import TestSupport

/// `latchkey audit verify`, with nothing beside the executable of the server.
@Suite("latchkey audit verify", .serialized, .hangLimit)
struct AuditVerifyTests {
    private func verify(_ deployment: Deployment, _ arguments: String...) throws -> ProcessResult {
        var command = deployment.eventless("latchkey")
        command.arguments = ["audit", "verify"] + arguments
        return try ChildProcess.run(command)
    }

    @Test func `the log is verified while a server runs, also against saved heads`()
        throws
    {
        let deployment = try Deployment()
        let client = try deployment.signIn()
        let server = try HTTPProcess("latchkey", in: deployment)
        let first = try verify(deployment, "--heads", deployment.folder.file("heads"))
        expectEqual(first.end, .exit(0), "\(first.errorText)")
        #expect(first.text.hasSuffix(": intact\n"), "\(first.text)")
        #expect(try !deployment.folder.read("heads").isEmpty)
        let again = try verify(deployment, "--anchors", deployment.folder.file("heads"))
        #expect(again.end == .exit(0) && again.text.contains(" anchor: intact"), "\(again.text)")
        _ = server.end()

        // A removed event is found, and so is a removed chain, by its head.
        let store = try deployment.store()
        let chain = "\(StoreLayout.auditPrefix)\(client.user.text)"
        let events = try store.query(PartitionQuery(chain, limit: 10)).items
        try store.write(events.map { .delete($0.key, when: []) })
        let broken = try verify(deployment, "--anchors", deployment.folder.file("heads"))
        expectEqual(broken.end, .exit(1), "\(broken.text)")
        #expect(broken.text.contains("missing"), "\(broken.text)")
    }

    @Test func `a verification that cannot run gives one line and status 2, and creates nothing`()
        throws
    {
        var deployment = try Deployment()
        let names = deployment.folder.names
        for arguments in [[], ["--anchors", "/nowhere"], ["--unknown"]] {
            var command = deployment.eventless("latchkey")
            command.arguments = ["audit", "verify"] + arguments
            let result = try ChildProcess.run(command)
            expectEqual(result.end, .exit(2))
            expectEqual(result.errorLines.count, 1, "\(result.errorText)")
        }
        expectEqual(deployment.folder.names, names)
        deployment.settings.append(("CONTRACT", "nonsense"))
        expectEqual(try verify(deployment).end, .exit(2))
    }
}

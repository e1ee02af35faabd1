import BaseTestSupport
import Foundation

/// Files that release 0.1.0 wrote: its database with the key beside it, and its export.
@Suite("Files of release 0.1.0", .serialized, .hangLimit)
struct UpgradeTests {
    /// - Parameter files: their names in a deployment and here.
    private func deployment(_ files: KeyValuePairs<String, String>) throws -> Deployment {
        let deployment = try Deployment([("MAIL_FROM", "no-reply@example.com")])
        let mail = deployment.folder.file("mail")
        mkdir(mail, 0o700)
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Release-0.1.0")
        for (name, file) in files {
            try deployment.folder.write(
                Array(Data(contentsOf: source.appending(path: file))), to: name)
            chmod(deployment.folder.file(name), 0o600)
        }
        return deployment.with("MAIL_URL", "folder:\(mail)")
    }

    private func run(_ deployment: Deployment, _ arguments: String...) throws {
        var command = deployment.eventless("latchkey")
        command.arguments = arguments
        let result = try ChildProcess.run(command)
        expectEqual(result.end, .exit(0), "\(result.errorText)")
    }

    /// The password that was chosen in 0.1.0.
    private func expectSignIn(_ deployment: Deployment) throws {
        let server = try HTTPProcess("latchkey", in: deployment)
        let client = try server.client()
        client.send(
            HTTPProcess.post(
                "/auth/login",
                #"{"email":"ada@example.com","password":"correct horse battery staple"}"#))
        let answer = try #require(client.answer())
        expectEqual(answer.status, 200, "\(answer)")
        #expect("\(answer)".contains("Ada Lovelace"), "\(answer)")
        expectEqual(server.end().end, .exit(0))
    }

    @Test func `people can sign in after an upgrade, and after a restore of its backup`() throws {
        let upgraded = try deployment(["latchkey.db": "database", "latchkey.db.key": "key"])
        try expectSignIn(upgraded)
        let backup = upgraded.folder.file("backup")
        try run(upgraded, "backup", backup)
        let other = try deployment([:])
        try run(other, "restore", backup)
        try expectSignIn(other)
    }

    @Test func `people can sign in after an earlier export is imported or restored`() throws {
        let files: KeyValuePairs = ["latchkey.db.key": "key", "export.jsonl": "export.jsonl"]
        let imported = try deployment(files)
        var command = imported.eventless("latchkey")
        command.arguments = ["import"]
        command.input = .bytes(try imported.folder.read("export.jsonl"))
        let result = try ChildProcess.run(command)
        expectEqual(result.end, .exit(0), "\(result.errorText)")
        try expectSignIn(imported)
        let restored = try deployment(files)
        try run(restored, "restore", restored.folder.file("export.jsonl"))
        try expectSignIn(restored)
    }
}

import AuthTestSupport
import Glibc
import TestSupport

/// `latchkey.db.key`, without which nothing encrypted in the database can be read.
@Suite("The master key's file, with real processes", .serialized, .hangLimit)
struct MasterKeyFileTests {
    private static let name = "latchkey.db.key"

    @Test func `the file is created once, only accessible to its owner`() throws {
        let deployment = try Deployment()
        _ = try deployment.run("challenge")
        let key = try deployment.folder.read(Self.name)
        expectEqual(key.count, MasterKey.bytesMin)
        #expect(Set(key).count > 8)
        try expectEqual(deployment.folder.permissions(of: Self.name), 0o600)
        _ = try deployment.signIn()
        try expectEqual(deployment.folder.read(Self.name), key)
    }

    /// A new key would silently end all sessions.
    @Test(arguments: ["challenge", "signin", "refresh", "keys", "me", "authorizer"])
    func `a missing file of an existing database stops every function, and is not replaced`(
        function: String
    ) throws {
        let deployment = try Deployment()
        let client = try deployment.signIn()
        let key = try deployment.folder.read(Self.name)
        try deployment.folder.remove(Self.name)

        let result = try ChildProcess.run(deployment.command(function))
        expectStartFailure(result, saying: "key file beside the database is missing")
        #expect(!deployment.folder.exists(Self.name))

        try deployment.folder.replace(Self.name, with: key, mode: 0o600)
        try expectEqual(deployment.refresh(client.refreshToken).status, 200)
    }

    @Test func `no file is needed if the key is configured`() throws {
        let deployment = try Deployment([
            ("MASTER_KEY", String(repeating: "0123456789abcdef", count: 4))
        ])
        let client = try deployment.signIn()
        try expectEqual(deployment.refresh(client.refreshToken).status, 200)
        #expect(!deployment.folder.exists(Self.name))
    }

    @Test(arguments: [1, 16, 31])
    func `a key that is too short stops the function, and is not replaced`(count: Int) throws {
        let deployment = try Deployment()
        let bytes = [UInt8](repeating: 0x5A, count: count)
        try deployment.folder.replace(Self.name, with: bytes, mode: 0o600)
        let result = try ChildProcess.run(deployment.command("challenge"))
        expectStartFailure(result, saying: "must hold at least 32 bytes")
        try expectEqual(deployment.folder.read(Self.name), bytes)
        expectEqual(deployment.folder.names, ["jwks.json", Self.name])
    }

    @Test func `an empty file after a crash is written`() throws {
        let deployment = try Deployment()
        try deployment.folder.replace(Self.name, with: [], mode: 0o600)
        try expectEqual(deployment.run("challenge").status, 200)
        try expectEqual(deployment.folder.read(Self.name).count, MasterKey.bytesMin)
    }

    @Test func `a directory instead of the database stops the function`() throws {
        let deployment = try Deployment()
        try deployment.folder.makeFolder(Self.name)
        let result = try ChildProcess.run(deployment.command("challenge"))
        expectStartFailure(result, saying: "latchkey.db.key is not a regular file")
    }

    @Test func `the key of another database is an internal error, ends no session, and is logged`()
        throws
    {
        let deployment = try Deployment()
        let client = try deployment.signIn()
        let key = try deployment.folder.read(Self.name)
        try deployment.folder.replace(
            Self.name, with: [UInt8](repeating: 0x5A, count: 32), mode: 0o600)

        let refused = try deployment.refresh(client.refreshToken)
        expectEqual(refused.status, 500)
        expectEqual(refused.action, "retry")
        #expect(refused.errorText.contains(#""reason":"fault.sealedDataUnreadable""#))
        try expectEqual(deployment.run("me", bearer: client.accessToken).status, 500)
        try expectEqual(deployment.run("keys").status, 500)
        try expectEqual(deployment.family(of: client)?.generation, 0)

        try deployment.folder.replace(Self.name, with: key, mode: 0o600)
        try expectEqual(deployment.run("me", bearer: client.accessToken).status, 200)
        try expectEqual(deployment.refresh(client.refreshToken).status, 200)
    }

    /// SIGXFSZ kills the process while it writes the key.
    @Test func `a partial file of a killed process needs no cleaning up`() throws {
        let deployment = try Deployment()
        let command = deployment.command("challenge").throughShell("ulimit -f 0")
        try expectEqual(ChildProcess.run(command).end, .signal(SIGXFSZ))
        expectEqual(deployment.strayNames, [])
        try expectEqual(deployment.run("challenge").status, 200)
        expectEqual(deployment.strayNames, [])
    }
}

/// Exit status 1, the error as Lambda reports it on stdout, and one line on stderr that explains
/// it.
func expectStartFailure(
    _ result: ProcessResult, saying explanation: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(result.end == .exit(1), sourceLocation: sourceLocation)
    let failure = try? JSON.parse(result.output, limits: .event)
    #expect(
        failure?["errorType"] == "Runtime.ConfigInvalid", "\(result.text)",
        sourceLocation: sourceLocation)
    let message = failure?["errorMessage"]?.stringValue ?? ""
    #expect(message.contains(explanation), sourceLocation: sourceLocation)
    let lines = result.errorLines.compactMap {
        try? JSON.parse(Array($0.utf8), limits: .request)
    }
    #expect(lines.count == result.errorLines.count, sourceLocation: sourceLocation)
    #expect(
        lines.contains {
            $0["event"] == "start_failed"
                && $0["problem"]?.stringValue?.contains(explanation) == true
        }, "\(result.errorText)", sourceLocation: sourceLocation)
}

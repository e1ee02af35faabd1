import AuthTestSupport
import TestSupport

/// Standard streams that are closed, too long, or have no reader.
@Suite("Standard streams, with real processes", .serialized, .hangLimit)
struct StreamTests {
    @Test func `an event of 8 MiB is refused without reading all of it`() throws {
        let deployment = try Deployment()
        var command = deployment.command("refresh")
        let filler = String(repeating: "x", count: 8 << 20)
        command.input = .bytes(Array(#"{"refreshToken":"\#(filler)"}"#.utf8))
        let result = try ChildProcess.run(command)
        expectEqual(result.end, .exit(1))
        let failure = try JSON.parse(result.output, limits: .event)
        expectEqual(failure["errorType"], "Function.MalformedEvent")
        expectEqual(failure["errorMessage"]?.stringValue?.contains("larger than"), true)
    }

    @Test func `a closed stdin is an event that cannot be read`() throws {
        let deployment = try Deployment()
        var command = deployment.command("challenge")
        command.input = .closed
        let result = try ChildProcess.run(command)
        expectEqual(result.end, .exit(1))
        #expect(result.text.contains("cannot be read"), "\(result.text)")
    }

    @Test func `a client that disconnected gets the same successor when it retries`() throws {
        for output in [Command.Output.hungUp, .closed] {
            let deployment = try Deployment()
            let client = try deployment.signIn()
            var command = deployment.command("refresh", Deployment.refreshBody(client.refreshToken))
            command.output = output
            let result = try ChildProcess.run(command)
            expectEqual(result.end, .exit(1), "\(output)")
            #expect(result.errorText.contains(#""event":"output_failed""#))
            try expectEqual(deployment.family(of: client)?.generation, 1)

            let again = try deployment.refresh(client.refreshToken)
            expectEqual(again.status, 200)
            try expectEqual(deployment.family(of: client)?.generation, 1)
            try expectEqual(deployment.refresh(try #require(again.refreshToken)).status, 200)
        }
    }

    @Test func `a log without a reader, or a closed one, changes no response`() throws {
        for output in [Command.Output.hungUp, .closed] {
            let deployment = try Deployment()
            var command = deployment.command("challenge")
            command.errorOutput = output
            let answer = try Answer(ChildProcess.run(command))
            expectEqual(answer.status, 200)
            try expectEqual(deployment.folder.read("latchkey.db.key").count, MasterKey.bytesMin)
            try expectEqual(deployment.verdictOfPython(), Deployment.verdictIfSound)
        }
    }

    @Test func `closed standard streams damage no data`() throws {
        let deployment = try Deployment()
        var command = deployment.command("challenge")
        (command.input, command.output, command.errorOutput) = (.closed, .closed, .closed)
        try expectEqual(ChildProcess.run(command).end, .exit(1))
        try expectEqual(deployment.folder.read("latchkey.db.key").count, MasterKey.bytesMin)
        try expectEqual(deployment.verdictOfPython(), Deployment.verdictIfSound)
        try expectEqual(deployment.run("challenge").status, 200)
    }

    /// Descriptor 1 must not become the connection to the store, which would receive the response
    /// meant for the client.
    @Test func `a connection does not replace a closed stdout`() throws {
        let server = try LoopbackServer { _ in HTTPResponse(status: 200, body: Array("{}".utf8)) }
        defer { server.stop() }
        let deployment = try Deployment(
            Deployment.dynamoDBSettings(table: "latchkey", url: server.url))
        var command = deployment.command("challenge")
        command.output = .closed
        let result = try ChildProcess.run(command)
        expectEqual(result.end, .exit(1))
        #expect(result.errorText.contains(#""event":"output_failed""#), "\(result.errorText)")
        #expect(!server.requests.isEmpty)
    }
}

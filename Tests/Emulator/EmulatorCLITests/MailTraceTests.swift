import BaseTestSupport
import Foundation

/// A mail by SMTP is in the trace of the function that sent it, whatever program it used.
@Suite("Mails by SMTP in traces", .serialized, .hangLimit)
struct MailTraceTests {
    private static let handler = """
        import smtplib, subprocess, sys

        def send(port, to):
            with smtplib.SMTP("127.0.0.1", int(port)) as server:
                server.sendmail("app@example.com", [to], "Subject: Hello\\n\\nHello")

        kept = []

        def handler(event, context):
            if event.get("keeps"):
                kept.append(kept[0] if kept else smtplib.SMTP("127.0.0.1", int(event["port"])))
                kept[0].sendmail("app@example.com", [event["to"]], "Subject: Hello\\n\\nHello")
            elif event.get("asChild"):
                subprocess.run([sys.executable, __file__, event["port"], event["to"]], check=True)
            else:
                send(event["port"], event["to"])
            return {}

        if __name__ == "__main__":
            send(*sys.argv[1:])
        """

    /// An emulator, and its port for SMTP.
    private func started(
        _ arguments: [String]
    ) throws -> (emulator: EmulatorProcess, smtpPort: String) {
        let project = try EmulatorProject(
            [
                "mailer": [
                    "Type": "AWS::Serverless::Function",
                    "Properties": [
                        "CodeUri": "code/", "Handler": "app.handler", "Runtime": "python3.12",
                        "Timeout": 20, "MemorySize": 256,
                    ],
                ]
            ], arguments)
        try project.folder.makeFolder("code")
        try project.folder.write(Array(Self.handler.utf8), to: "code/app.py")
        let emulator = try project.start()
        let file = URL(filePath: project.statePath).appending(path: "addresses.json")
        let addresses = try JSON.parse(Array(try Data(contentsOf: file)), limits: .event)
        let port = try #require(addresses["smtpPort"]?.int64Value, "\(addresses.text)")
        return (emulator, "\(port)")
    }

    private func mail(to address: String, _ caller: EmulatorClient) throws -> JSON {
        let path = "/_emulator/mail?to=\(address)"
        let messages = try caller.app(.get, path).json?["messages"]?.arrayValue
        return try #require(messages?.first)
    }

    @Test(arguments: ["warm", "cold"])
    func `the function's mail and its child's are calls of the invocation`(mode: String) throws {
        let (emulator, port) = try started(["--mode", mode])
        let caller = EmulatorClient(emulator)
        for asChild in [false, true] {
            let address = "\(asChild)@example.com"
            let event: JSON = [
                "port": .string(port), "to": .string(address), "asChild": .bool(asChild),
            ]
            let root = "1-67a5f0e1-\(String(repeating: asChild ? "b" : "a", count: 24))"
            let answer = try caller.aws(
                .post, "/2015-03-31/functions/mailer/invocations", event.serialized,
                headers: [("X-Amzn-Trace-Id", "Root=\(root)")])
            expectEqual(answer.text, "{}", "\(answer.text)\n\(emulator.log)")
            var calls: [JSON] = []
            _ = try eventually {
                calls =
                    try caller.app(.get, "/_emulator/traces/\(root)").json?["calls"]?.arrayValue
                    ?? []
                return calls.count == 2
            }
            expectEqual(calls.map { $0["title"] }, ["mailer", "smtp MAIL"])
            expectEqual(calls.last?["parent"], calls.first?["number"])
            expectEqual(calls.last?["status"], 250)
            let mail = try mail(to: address, caller)
            let id = try #require(mail["id"]?.stringValue)
            expectEqual(calls.last?["mail"]?.stringValue, id)
            let found = try caller.app(.get, "/_emulator/traces?mail=\(id)").json?["traces"]
            expectEqual(found?.arrayValue?.map { $0["id"] }, [.string(root)])
        }
    }

    @Test func `a mail over a reused connection is in the later trace`() throws {
        let (emulator, port) = try started([])
        let caller = EmulatorClient(emulator)
        let event: JSON = ["port": .string(port), "to": "a@example.com", "keeps": true]
        for _ in 0..<2 { try expectEqual(caller.invoke("mailer", event.text).text, "{}") }
        var traces: [JSON] = []
        // An invocation is in its trace when it has ended, which can be after its answer.
        _ = try eventually {
            traces = try caller.app(.get, "/_emulator/traces").json?["traces"]?.arrayValue ?? []
            return traces.map { $0["callCount"] } == [2, 2]
        }
        expectEqual(traces.map { $0["title"] }, ["mailer", "mailer"])
        expectEqual(traces.map { $0["callCount"] }, [2, 2])
    }

    @Test func `mails of other programs, and refused mails, have separate traces`() throws {
        let (emulator, port) = try started([])
        let caller = EmulatorClient(emulator)
        let event: JSON = ["port": .string(port), "to": "a@example.com"]
        // Its process continues to run, without an invocation.
        _ = try caller.invoke("mailer", event.text)
        let fault = #"{"match":{"service":"ses"},"effect":"error","error":"throttled","count":1}"#
        try expectEqual(caller.app(.post, "/_emulator/faults", fault).status, 201)
        for _ in 0..<2 {
            _ = try ChildProcess.run(
                Command("/usr/bin/env", ["python3", "-c", Self.handler, port, "b@example.com"]))
        }
        let traces = try caller.app(.get, "/_emulator/traces").json?["traces"]?.arrayValue ?? []
        expectEqual(traces.map { $0["title"] }, ["smtp MAIL", "smtp MAIL", "mailer"])
        expectEqual(traces.map { $0["outcome"] }, ["250", "454", "ok"])
        expectEqual(traces.map { $0["callCount"] }, [1, 1, 2])
    }
}

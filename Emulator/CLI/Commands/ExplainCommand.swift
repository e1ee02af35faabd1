internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import JSON

extension Command {
    /// The limit is larger than any token that can be explained.
    private static let tokenBytesMax = 100 << 10

    static let explain = Command(
        name: "explain", operands: "[TOKEN | -]",
        summary: "Shows for each check of a token whether it passes, or why it fails.",
        details: """
            For ID tokens of the emulated identity providers, access tokens of the app and refresh
            tokens of Latchkey. The token is read from standard input with - or without TOKEN, so
            that it is not in the history of the shell. The exit status is 1 if a check failed.
            Example:

              curl -s http://127.0.0.1:8000/_idp/apple/mint -d '{"fault": "expired"}' \\
                -H 'Content-Type: application/json' | jq -r .idToken | emulator explain
            """,
        flags: [
            Flag("--audience", "ID", "The expected client id or audience; repeatable."),
            Flag("--issuer", "NAME", "The expected issuer: its URL, or a name such as apple."),
            Flag("--nonce", "NONCE", "The nonce of the sign-in."),
            Flag("--json", nil, "Print the JSON answer of the control API."), url,
        ]
    ) { arguments, console in
        let word = try arguments.operands(["TOKEN"], optional: 1).first ?? "-"
        let token: String
        if word == "-" {
            let bytes = try Files.readStandardInput(bytesMax: tokenBytesMax)
            token = String(decoding: bytes, as: UTF8.self).trimmed
        } else {
            token = word
        }
        guard !token.isEmpty else { throw UsageError(description: "there is no token") }
        var body: JSONObject = ["token": .string(token)]
        let audiences = arguments.all("--audience")
        if !audiences.isEmpty { body["audience"] = .array(audiences.map { .string($0) }) }
        body["issuer"] = arguments.text("--issuer").map { .string($0) }
        body["nonce"] = arguments.text("--nonce").map { .string($0) }
        let answer = try ControlClient(arguments).ask(.post, "tokens/explain", .object(body))
        let verdict = answer["verdict"]?.stringValue ?? ""
        if arguments.has("--json") {
            console.print(TerminalText.json(answer.text))
        } else {
            printVerdict(answer, verdict, console)
        }
        return verdict == "failed" ? 1 : 0
    }

    private static func printVerdict(_ answer: JSON, _ verdict: String, _ console: Console) {
        func text(_ value: JSON?) -> String { value.map { $0.stringValue ?? $0.text } ?? "" }
        let rows = (answer["checks"]?.arrayValue ?? []).map { check in
            ["verdict", "check", "value", "expected", "explanation"].map { text(check[$0]) }
        }
        let failure = answer["firstFailure"].map { " at \(text($0))" } ?? ""
        console.print(
            TerminalText.line(
                "\(text(answer["token"])): \(verdict)\(failure). \(text(answer["explanation"]))"))
        console.print("")
        console.print(
            TextTable([["verdict", "check", "value", "expected", "explanation"]] + rows).text)
    }
}

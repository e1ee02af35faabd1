internal import EmulatorBase
package import HTTP
internal import JSON

/// `emulator audit verify`: runs the function `audit` and prints its findings.
package enum AuditCommand {
    package struct Options: Sendable {
        /// The store for a separate process; nil for a running emulator, or for the store in the
        /// environment.
        package var store: String?
        /// The file to which the chains' heads are written, as JSON lines.
        package var heads: String?
        /// A file with heads that were kept earlier.
        package var anchors: String?
        package var executables: String?
        package var url: String?

        package init(
            store: String? = nil, heads: String? = nil, anchors: String? = nil,
            executables: String? = nil, url: String? = nil
        ) {
            self.store = store
            self.heads = heads
            self.anchors = anchors
            self.executables = executables
            self.url = url
        }
    }

    private static let callsMax = 100_000
    /// The maximum number of anchors in one event.
    private static let anchorsMax = 1000

    /// Returns the exit status: 0 if the log is intact, 1 if it is not, 2 if the function could not
    /// be run.
    package static func verify(
        _ options: Options, to output: ToolOutput, transport: HTTPTransport
    ) -> Int32 {
        do throws(FixtureFailure) {
            return try run(options, output, transport)
        } catch {
            output.note("audit: \(error)")
            return ExitStatus.usage
        }
    }

    private struct Totals {
        var chains = 0
        var events = 0
        var findings = 0
        var heads: [UInt8] = []
    }

    private static func run(
        _ options: Options, _ output: ToolOutput, _ transport: HTTPTransport
    ) throws(FixtureFailure) -> Int32 {
        var totals = Totals()
        var after: String?
        for _ in 0..<callsMax {
            var event: JSONObject = ["function": "audit", "action": "verify"]
            event["after"] = after.map { .string($0) }
            after = try call(event, options, output, transport, &totals)
            guard after != nil else { break }
        }
        var anchors = 0
        if let path = options.anchors {
            let kept = try heads(in: path)
            anchors = kept.count
            for start in stride(from: 0, to: kept.count, by: anchorsMax) {
                let part = Array(kept[start..<min(start + anchorsMax, kept.count)])
                var other = Totals()
                _ = try call(
                    ["function": "audit", "action": "verify", "anchors": .array(part)], options,
                    output, transport, &other)
                totals.findings += other.findings
            }
        }
        if let path = options.heads { try FixtureFiles.write(totals.heads, to: path) }
        let compared = options.anchors == nil ? "" : ", \(anchors) anchors"
        output.print(
            "\(totals.chains) chains, \(totals.events) events\(compared): "
                + (totals.findings == 0
                    ? "intact" : totals.findings == 1 ? "1 finding" : "\(totals.findings) findings")
        )
        return totals.findings == 0 ? ExitStatus.success : ExitStatus.failure
    }

    /// Runs the function once. Returns the position for the next call; nil at the end.
    private static func call(
        _ event: JSONObject, _ options: Options, _ output: ToolOutput, _ transport: HTTPTransport,
        _ totals: inout Totals
    ) throws(FixtureFailure) -> String? {
        var invocation = InvokeCommand.Options(
            function: "audit", event: "-", executables: options.executables, url: options.url)
        invocation.replacement = "latchkey"
        if let store = options.store { invocation.variables = [("STORE", store)] }
        let result = try InvokeCommand.invoke(
            invocation, event.serialized, output, transport)
        guard let answer = try? JSON.parse(result.output, limits: .event),
            let findings = answer["findings"]?.arrayValue
        else {
            let text = String(decoding: result.output.prefix(1000), as: UTF8.self)
            throw FixtureFailure("the function audit answered: \(text)")
        }
        totals.chains += Int(answer["chains"]?.int64Value ?? 0)
        totals.events += Int(answer["events"]?.int64Value ?? 0)
        totals.findings += findings.count
        for finding in findings { output.print(line(finding)) }
        for head in answer["heads"]?.arrayValue ?? [] { totals.heads += head.serialized + [0x0A] }
        return answer["next"]?.stringValue
    }

    /// `EMAIL#…: missing, events 3 to 5`
    private static func line(_ finding: JSON) -> String {
        let chain = finding["chain"]?.stringValue ?? "?"
        let defect = finding["defect"]?.stringValue ?? "?"
        let first = finding["first"]?.int64Value ?? 0
        let last = finding["last"]?.int64Value ?? first
        let place = first == last ? "event \(first)" : "events \(first) to \(last)"
        return "\(chain): \(defect), \(place)"
    }

    private static func heads(in path: String) throws(FixtureFailure) -> [JSON] {
        let bytes = try FixtureFiles.read(argument: path)
        var heads: [JSON] = []
        for line in bytes.split(separator: 0x0A) {
            guard let head = try? JSON.parse(Array(line), limits: .event) else {
                throw FixtureFailure("\(path) holds a line that is not JSON")
            }
            heads.append(head)
        }
        return heads
    }
}

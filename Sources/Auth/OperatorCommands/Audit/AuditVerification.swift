internal import AuthComposition
internal import FunctionRuntime
internal import Glibc
internal import JSON

extension OperatorCommand {
    /// `latchkey audit verify`
    static let auditVerify = OperatorCommand(
        CommandShape(
            name: "audit verify", summary: "Verify the audit log.",
            details: """
                Prints each place at which a chain is broken. Reads the store and the keys of this
                deployment's settings; a server may run meanwhile. The status is 0 if the log is
                intact, 1 if it is not, 2 if it could not be verified.
                """,
            flags: [
                Flag("--store", "STORE", "The store. Default: the setting STORE"),
                Flag("--heads", "FILE", "Write the end of each chain to FILE, as JSON lines."),
                Flag("--anchors", "FILE", "Also compare with the heads that are in FILE."),
            ], usageStatus: AuditVerification.notVerified)
    ) { arguments, assembly throws(CommandFailure) in
        do throws(CommandFailure) {
            var assembly = assembly
            if let store = arguments.text("--store") {
                assembly = assembly.setting("STORE", to: store)
            }
            try starting { () throws(StartFailure) in
                try assembly.operatorSettings().requireStore()
            }
            var verification = try AuditVerification(assembly)
            try verification.verify(
                heads: arguments.text("--heads"), anchors: arguments.text("--anchors"))
            return verification.findings == 0 ? 0 : CommandFailure.failed
        } catch {
            throw CommandFailure(error.message, status: AuditVerification.notVerified)
        }
    }
}

/// Verifies the log with the operation that the function `audit` serves.
private struct AuditVerification {
    static let notVerified: Int32 = 2

    private static let callsMax = 100_000
    /// The maximum number of anchors in one event.
    private static let anchorsMax = 1000
    private static let anchorBytesMax = 64 << 20

    private let handler: Handler
    private var chains: Int64 = 0
    private var events: Int64 = 0
    private(set) var findings = 0
    private var heads: [UInt8] = []

    init(_ assembly: Assembly) throws(CommandFailure) {
        handler = try starting { () throws(StartFailure) in
            // The log level leaves out the lines about each answer.
            let log = Log(level: .error) { _ = Descriptor.writeAll($0, to: 2) }
            return try LatchkeyFunction.handler(of: "audit", assembly, log)
        }
    }

    mutating func verify(heads path: String?, anchors: String?) throws(CommandFailure) {
        // The anchors are read first, so that a wrong path is reported at once.
        let kept = try anchors.map(Self.anchors)
        var after: String?
        for _ in 0..<Self.callsMax {
            var event: JSONObject = ["action": "verify"]
            event["after"] = after.map { .string($0) }
            let answer = try call(event)
            chains += answer["chains"]?.int64Value ?? 0
            events += answer["events"]?.int64Value ?? 0
            for head in answer["heads"]?.arrayValue ?? [] { heads += head.serialized + [0x0A] }
            after = answer["next"]?.stringValue
            guard after != nil else { break }
        }
        guard after == nil else { throw CommandFailure("the audit log has too many chains") }
        for start in stride(from: 0, to: kept?.count ?? 0, by: Self.anchorsMax) {
            let part = kept?.dropFirst(start).prefix(Self.anchorsMax) ?? []
            _ = try call(["action": "verify", "anchors": .array(Array(part))])
        }
        if let path { try PrivateFile.write(heads, to: path, replacing: true) }
        let compared = kept.map { ", " + Self.counted(Int64($0.count), "anchor") } ?? ""
        let result = findings == 0 ? "intact" : Self.counted(Int64(findings), "finding")
        try Terminal.print(
            "\(Self.counted(chains, "chain")), \(Self.counted(events, "event"))\(compared): "
                + result)
    }

    private static func counted(_ count: Int64, _ what: String) -> String {
        "\(count) \(what)\(count == 1 ? "" : "s")"
    }

    private mutating func call(_ event: JSONObject) throws(CommandFailure) -> JSON {
        let output: [UInt8]
        do throws(FunctionError) {
            output = try handler.answer(JSON.object(event).serialized)
        } catch {
            throw CommandFailure("the audit log cannot be verified: \(error.message)")
        }
        guard let answer = try? JSON.parse(output, limits: .event),
            let found = answer["findings"]?.arrayValue
        else {
            let text = String(decoding: output.prefix(1000), as: UTF8.self)
            throw CommandFailure("the audit log cannot be verified: \(text)")
        }
        findings += found.count
        for finding in found { try Terminal.print(Self.line(finding)) }
        return answer
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

    private static func anchors(in path: String) throws(CommandFailure) -> [JSON] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure("\(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        guard let bytes = try? Descriptor.readAll(descriptor, bytesMax: anchorBytesMax) else {
            throw CommandFailure("\(path) cannot be read, or has more than 64 MiB")
        }
        var anchors: [JSON] = []
        for (index, line) in bytes.split(separator: 0x0A).enumerated() {
            guard let anchor = try? JSON.parse(Array(line), limits: .event) else {
                throw CommandFailure("\(path):\(index + 1): this line is not JSON")
            }
            anchors.append(anchor)
        }
        return anchors
    }
}

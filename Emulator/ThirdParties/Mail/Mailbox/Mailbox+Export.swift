internal import Bytes
internal import JSON
internal import Time

/// Exports the mailbox as JSON lines: identities and templates, then the messages, oldest first.
extension Mailbox {
    /// The limit of an imported line.
    package static let lineBytesMax = 64 << 20
    /// The largest integer that every JSON parser represents exactly.
    private static let importedIDMax: Int64 = 1 << 53

    /// Passes lines without line ends to `write`, until it returns false. Messages that arrive in
    /// the meantime may be included.
    package func export(_ write: ([UInt8]) -> Bool) throws(MailboxFailure) {
        for kind in MailDocumentKind.allCases {
            for (name, body) in try documents(kind) {
                let line: JSONObject = [
                    "kind": .string(kind.rawValue), "name": .string(name), "body": body,
                ]
                guard write(line.serialized) else { return }
            }
        }
        var last: Int64 = 0
        while let mail = try message(after: last) {
            last = mail.entry.id
            let line: JSONObject = [
                "kind": "message", "id": .number(last),
                "receivedAt": .string(mail.entry.receivedAt.iso8601Milliseconds),
                "summary": .object(mail.entry.summary.json),
                "raw": .string(Base64.encode(mail.raw)),
            ]
            guard write(line.serialized) else { return }
        }
    }

    private func message(after id: Int64) throws(MailboxFailure) -> StoredMail? {
        try locked { state throws(MailboxFailure) in
            var filter = MailFilter()
            filter.after = id
            var next: Int64?
            try state.search(filter, isRising: true) { entry in
                next = entry.id
                return false
            }
            guard let next else { return nil }
            return try state.message(next)
        }
    }

    /// Imports one line of an export. A message keeps its ID if that is free.
    package func importLine(_ line: [UInt8]) throws(MailboxFailure) {
        guard
            let json = try? JSON.parse(
                line, limits: JSONLimits(bytesMax: Self.lineBytesMax, depthMax: 16)),
            let kind = json["kind"]?.stringValue
        else { throw .damaged }
        if let kind = MailDocumentKind(rawValue: kind) {
            guard let name = json["name"]?.stringValue, let body = json["body"] else {
                throw .damaged
            }
            return try put(kind, name, body)
        }
        guard kind.isSame(as: "message"), let summary = json["summary"].flatMap(MailSummary.init),
            let id = json["id"]?.int64Value, (1...Self.importedIDMax).contains(id),
            let receivedAt = json["receivedAt"]?.stringValue.flatMap(Instant.init(iso8601:)),
            let raw = json["raw"]?.stringValue.flatMap({ Base64.decode($0) })
        else { throw .damaged }
        guard raw.count <= Self.messageBytesMax else { throw .tooLarge }
        let limits = limits
        _ = try locked { state throws(MailboxFailure) in
            let isTaken = try state.message(id) != nil
            return try state.add(
                raw, summary, receivedAt: receivedAt, id: isTaken ? nil : id, limits)
        }
    }
}

internal import EmulatorThirdParties
internal import JSON

/// The mailbox: its messages, and SES's identities and templates.
struct MailStatePart: StatePart {
    let mailbox: Mailbox

    let kinds = ["mail"]

    func page(from position: JSON?) throws -> (records: [JSON], next: JSON?) {
        let start = position?["skip"]?.int64Value ?? 0
        var (seen, bytes): (Int64, Int) = (0, 0)
        var lines: [[UInt8]] = []
        var isCut = false
        try mailbox.export { line in
            seen += 1
            guard seen > start else { return true }
            guard bytes < StateLimits.pageBytesMax else {
                isCut = true
                return false
            }
            lines.append(line)
            bytes += line.count
            return true
        }
        let records = try lines.map { line -> JSON in
            ["kind": "mail", "line": try JSON.parse(line, limits: StateLimits.json)]
        }
        let next: JSON? = isCut ? ["skip": .number(start + Int64(lines.count))] : nil
        return (records, next)
    }

    func take(_ record: JSON) throws {
        guard let line = record["line"] else { throw StateFailure("missing member line") }
        try mailbox.importLine(line.serialized)
    }

    func clear() throws { try mailbox.deleteAll() }
}

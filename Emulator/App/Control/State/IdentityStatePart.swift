internal import Bytes
internal import EmulatorThirdParties
internal import JSON
internal import Time

/// Accounts, consents, signing keys and tokens of the identity providers, as opaque values.
struct IdentityStatePart: StatePart {
    let service: IdentityService

    let kinds = ["identity"]

    func page(from position: JSON?) throws -> (records: [JSON], next: JSON?) {
        let last = try position.map { position in
            PortableRecord(
                kind: position["kind"]?.int64Value ?? 0,
                key: Base64.decode(try position.required("key")) ?? [], value: [], endsAt: nil)
        }
        let found = try service.records(after: last, max: StateLimits.pageRecordsMax)
        let records = try found.map { try Self.record($0) }
        guard found.count == StateLimits.pageRecordsMax, let end = found.last else {
            return (records, nil)
        }
        return (records, ["kind": .number(end.kind), "key": .string(Base64.encode(end.key))])
    }

    private static func record(_ record: PortableRecord) throws -> JSON {
        var object: JSONObject = [
            "kind": "identity", "of": .number(record.kind),
            "key": .string(Base64.encode(record.key)),
            "value": try JSON.parse(record.value, limits: .keySet),
        ]
        if let end = record.endsAt { object["endsAt"] = .string(end.iso8601Milliseconds) }
        return .object(object)
    }

    func take(_ record: JSON) throws {
        guard let kind = record["of"]?.int64Value,
            let key = Base64.decode(try record.required("key")), let value = record["value"]
        else { throw StateFailure("invalid record") }
        try service.put(
            PortableRecord(
                kind: kind, key: key, value: value.serialized,
                endsAt: record["endsAt"]?.stringValue.flatMap { Instant(iso8601: $0) }))
    }

    func clear() throws { try service.removeAll() }
}

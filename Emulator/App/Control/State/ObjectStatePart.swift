internal import Bytes
internal import EmulatorAWS
internal import HTTP
internal import JSON
internal import Time

/// Buckets and objects. Incomplete multipart uploads are not exported.
struct ObjectStatePart: StatePart {
    let store: ObjectStore
    let clock: AdjustableClock

    let kinds = ["bucket", "object"]

    func page(from position: JSON?) throws -> (records: [JSON], next: JSON?) {
        let names = try store.bucketNames()
        guard let position else {
            let buckets = try names.map(bucket)
            return (buckets, names.first.map { ["bucket": .string($0)] })
        }
        let bucket = try position.required("bucket")
        var key = position["key"]?.stringValue
        var records: [JSON] = []
        var bytes = 0
        while bytes < StateLimits.pageBytesMax, records.count < StateLimits.pageRecordsMax {
            guard let object = try store.object(in: bucket, after: key) else {
                let following = names.drop { $0 != bucket }.dropFirst().first
                return (records, following.map { ["bucket": .string($0)] })
            }
            records.append(Self.record(object))
            bytes += object.bytes.count
            key = object.key
        }
        return (records, ["bucket": .string(bucket), "key": .string(key ?? "")])
    }

    private func bucket(_ name: String) throws -> JSON {
        var record: JSONObject = ["kind": "bucket", "name": .string(name)]
        let rules = try store.cors(of: name)
        if !rules.isEmpty { record["cors"] = .array(rules.map(\.json)) }
        return .object(record)
    }

    private static func record(_ object: PortableObject) -> JSON {
        [
            "kind": "object", "bucket": .string(object.bucket), "key": .string(object.key),
            "etag": .string(object.etag),
            "modifiedAt": .string(object.modifiedAt.iso8601Milliseconds),
            "headers": .array(
                object.headers.map { .array([.string($0.name), .string($0.value)]) }),
            "body": .string(Base64.encode(object.bytes)),
        ]
    }

    func take(_ record: JSON) throws {
        guard record["kind"] == "object" else {
            let name = try record.required("name")
            try store.ensureBucket(name, at: clock.now)
            let rules = (record["cors"]?.arrayValue ?? []).map(BucketCORSRule.init)
            if !rules.isEmpty { try store.setCORS(rules, of: name) }
            return
        }
        guard let body = Base64.decode(try record.required("body")),
            let modifiedAt = Instant(iso8601: try record.required("modifiedAt"))
        else { throw StateFailure("invalid object record") }
        let headers = (record["headers"]?.arrayValue ?? []).compactMap { pair -> HTTPHeader? in
            guard let texts = pair.arrayValue?.compactMap(\.stringValue), texts.count == 2 else {
                return nil
            }
            return HTTPHeader(texts[0], texts[1])
        }
        try store.put(
            PortableObject(
                bucket: try record.required("bucket"), key: try record.required("key"),
                etag: try record.required("etag"), modifiedAt: modifiedAt, headers: headers,
                bytes: body))
    }

    func clear() throws {
        for name in try store.bucketNames() { try store.removeBucket(name) }
    }
}

extension BucketCORSRule {
    fileprivate var json: JSON {
        func texts(_ values: [String]) -> JSON { .array(values.map { .string($0) }) }
        var rule: JSONObject = ["origins": texts(origins), "methods": texts(methods)]
        if let id { rule["id"] = .string(id) }
        if !headers.isEmpty { rule["headers"] = texts(headers) }
        if !exposedHeaders.isEmpty { rule["exposedHeaders"] = texts(exposedHeaders) }
        if let maxAgeSeconds { rule["maxAgeSeconds"] = .number(Int64(maxAgeSeconds)) }
        return .object(rule)
    }

    fileprivate init(_ json: JSON) {
        func texts(_ name: String) -> [String] {
            (json[name]?.arrayValue ?? []).compactMap(\.stringValue)
        }
        self.init(
            id: json["id"]?.stringValue, origins: texts("origins"), methods: texts("methods"),
            headers: texts("headers"), exposedHeaders: texts("exposedHeaders"),
            maxAgeSeconds: json["maxAgeSeconds"]?.numberValue.flatMap { Int($0.text) })
    }
}

internal import Bytes
internal import EmulatorAWS
internal import EmulatorBase
internal import JSON
internal import Time

/// Buckets and objects, in the order of their keys.
struct ObjectBrowser: Sendable {
    let store: ObjectStore

    func buckets(_ page: PageRequest) throws(BrowsingFailure) -> JSON {
        let (names, next) = try names().page(page, of: "buckets")
        var buckets: [JSON] = []
        for name in names {
            let found = try reading { store throws(ObjectStoreFailure) in
                try store.summary(ofBucket: name)
            }
            guard let bucket = found else { continue }
            buckets.append([
                "name": .string(name), "createdAt": .string(bucket.createdAt.iso8601Milliseconds),
                "objectCount": .number(bucket.objectCount), "bytes": .number(bucket.byteCount),
            ])
        }
        var answer: JSONObject = ["buckets": .array(buckets)]
        answer["next"] = next.map { .string($0) }
        return .object(answer)
    }

    func objects(of bucket: String, _ page: PageRequest) throws(BrowsingFailure) -> JSON {
        let list = "objects \(bucket)"
        let after = try page.cursor.map { text throws(BrowsingFailure) in
            let key = try PageCursor.key(text, of: list, parts: 1)[0]
            guard key.has(prefix: page.prefix) else { throw PageCursor.refusal }
            return key
        }
        // Requests one more than is shown, to know whether there is a next page.
        let found = try reading { store throws(ObjectStoreFailure) in
            try store.summaries(
                in: bucket, prefix: page.prefix, after: after, objectsMax: page.limit + 1)
        }
        guard let found else {
            throw try TableBrowser.notFound("Bucket", bucket, known: names())
        }
        let objects = found.prefix(page.limit)
        var answer: JSONObject = [
            "bucket": .string(bucket), "objects": .array(objects.map(\.json)),
        ]
        if found.count > page.limit, let last = objects.last {
            answer["next"] = .string(PageCursor.text(of: list, after: [last.key]))
        }
        return .object(answer)
    }

    private func names() throws(BrowsingFailure) -> [String] {
        try reading { store throws(ObjectStoreFailure) in try store.bucketNames() }
    }

    private func reading<Result>(
        _ body: (ObjectStore) throws(ObjectStoreFailure) -> Result
    ) throws(BrowsingFailure) -> Result {
        do throws(ObjectStoreFailure) {
            return try body(store)
        } catch {
            throw BrowsingFailure(500, "\(error)")
        }
    }
}

extension ObjectSummary {
    fileprivate var json: JSON {
        var object: JSONObject = [
            "key": .string(key), "size": .number(byteCount), "etag": .string(etag),
        ]
        object["contentType"] = contentType.map { .string($0) }
        object["lastModified"] = .string(modifiedAt.iso8601Milliseconds)
        return .object(object)
    }
}

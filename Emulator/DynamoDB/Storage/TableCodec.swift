internal import JSON
internal import Time

/// The stored JSON of a table definition.
extension TableDefinition {
    var stored: JSON {
        var members: [(String, JSON)] = [
            ("name", .string(name)), ("id", .string(id)), ("space", .number(Int(space.number))),
            ("schema", schema.stored), ("attributes", .array(attributes.map(\.stored))),
            ("indexes", .array(indexes.map(\.stored))),
            ("createdAt", .number(createdAt.milliseconds)),
            ("isDeletionProtected", .bool(isDeletionProtected)),
            (
                "tags", .array(tags.map { ["key": .string($0.key), "value": .string($0.value)] })
            ),
        ]
        if let throughput { members.append(("throughput", throughput.stored)) }
        if let timeToLive {
            members.append(
                (
                    "timeToLive",
                    [
                        "attribute": .string(timeToLive.attribute),
                        "space": .number(Int(timeToLive.space.number)),
                    ]
                ))
        }
        if let timeToLiveChangedAt {
            members.append(("timeToLiveChangedAt", .number(timeToLiveChangedAt.milliseconds)))
        }
        if let onDemandSince {
            members.append(("onDemandSince", .number(onDemandSince.milliseconds)))
        }
        if let tableClass { members.append(("tableClass", .string(tableClass))) }
        return .object(JSONObject(members))
    }

    init?(stored json: JSON) {
        guard let name = json["name"]?.stringValue, let id = json["id"]?.stringValue,
            let space = Keyspace(stored: json["space"]),
            let schema = json["schema"].flatMap(KeySchema.init(stored:)),
            let attributes = json["attributes"]?.arrayValue,
            let indexes = json["indexes"]?.arrayValue,
            let createdAt = json["createdAt"]?.int64Value
        else { return nil }
        self.init(
            name: name, id: id, space: space, schema: schema,
            attributes: attributes.compactMap(KeyAttribute.init(stored:)),
            indexes: indexes.compactMap(IndexDefinition.init(stored:)),
            throughput: json["throughput"].flatMap(Throughput.init(stored:)),
            createdAt: Instant(milliseconds: createdAt))
        if let stored = json["timeToLive"], let attribute = stored["attribute"]?.stringValue,
            let space = Keyspace(stored: stored["space"])
        {
            timeToLive = TimeToLive(attribute: attribute, space: space)
        }
        timeToLiveChangedAt = json["timeToLiveChangedAt"]?.int64Value.map(
            Instant.init(milliseconds:))
        isDeletionProtected = json["isDeletionProtected"]?.boolValue ?? false
        onDemandSince = json["onDemandSince"]?.int64Value.map(Instant.init(milliseconds:))
        tableClass = json["tableClass"]?.stringValue
        tags = (json["tags"]?.arrayValue ?? []).compactMap { tag in
            guard let key = tag["key"]?.stringValue, let value = tag["value"]?.stringValue else {
                return nil
            }
            return (key, value)
        }
    }
}

extension Keyspace {
    fileprivate init?(stored json: JSON?) {
        guard let number = json?.int64Value.flatMap(UInt32.init(exactly:)) else { return nil }
        self.init(number: number)
    }
}

extension KeyAttribute {
    fileprivate var stored: JSON { ["name": .string(name), "kind": .string(kind.rawValue)] }

    fileprivate init?(stored json: JSON) {
        guard let name = json["name"]?.stringValue,
            let kind = json["kind"]?.stringValue.flatMap(AttributeValue.Kind.init)
        else { return nil }
        self.init(name: name, kind: kind)
    }
}

extension KeySchema {
    fileprivate var stored: JSON { .array(attributes.map(\.stored)) }

    fileprivate init?(stored json: JSON) {
        let attributes = (json.arrayValue ?? []).compactMap(KeyAttribute.init(stored:))
        guard let hash = attributes.first else { return nil }
        self.init(hash: hash, range: attributes.dropFirst().first)
    }
}

extension Throughput {
    fileprivate var stored: JSON { ["reads": .number(reads), "writes": .number(writes)] }

    fileprivate init?(stored json: JSON) {
        guard let reads = json["reads"]?.int64Value, let writes = json["writes"]?.int64Value else {
            return nil
        }
        self.init(reads: Int(reads), writes: Int(writes))
    }
}

extension IndexDefinition {
    fileprivate var stored: JSON {
        var members: [(String, JSON)] = [
            ("name", .string(name)), ("space", .number(Int(space.number))),
            ("schema", schema.stored),
        ]
        switch projected {
        case .all: members.append(("projected", "ALL"))
        case .keysOnly: members.append(("projected", "KEYS_ONLY"))
        case .include(let names): members.append(("projected", .array(names.map(JSON.string))))
        }
        if let throughput { members.append(("throughput", throughput.stored)) }
        if isLocal { members.append(("isLocal", true)) }
        return .object(JSONObject(members))
    }

    fileprivate init?(stored json: JSON) {
        guard let name = json["name"]?.stringValue, let space = Keyspace(stored: json["space"]),
            let schema = json["schema"].flatMap(KeySchema.init(stored:)),
            let stored = json["projected"]
        else { return nil }
        let projected: Projected
        if let names = stored.arrayValue {
            projected = .include(names.compactMap(\.stringValue))
        } else {
            projected = stored == "ALL" ? .all : .keysOnly
        }
        self.init(
            name: name, space: space, schema: schema, projected: projected,
            isLocal: json["isLocal"]?.boolValue ?? false,
            throughput: json["throughput"].flatMap(Throughput.init(stored:)))
    }
}

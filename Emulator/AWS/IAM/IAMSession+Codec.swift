internal import JSON
internal import Time

extension IAMSession {
    private static let version = 1
    /// Two policies of 2,048 characters, 50 tags of 384, and some reserve.
    static let bytesMax = 64 << 10

    var encoded: [UInt8] {
        var object: JSONObject = [
            "v": .number(Self.version), "i": .number(issuedAt.milliseconds),
            "e": .number(expiresAt.milliseconds),
        ]
        object["o"] = ownerAccessKeyID.map(JSON.string)
        object["r"] = role.map { .object($0.encoded) }
        return object.serialized
    }

    init?(decoding bytes: [UInt8]) {
        let limits = JSONLimits(bytesMax: Self.bytesMax, depthMax: 6)
        guard let json = try? JSON.parse(bytes, limits: limits),
            json["v"]?.int64Value == Int64(Self.version), let issued = json["i"]?.int64Value,
            let expires = json["e"]?.int64Value
        else { return nil }
        issuedAt = Instant(milliseconds: issued)
        expiresAt = Instant(milliseconds: expires)
        ownerAccessKeyID = json["o"]?.stringValue
        role = json["r"].flatMap(RoleSession.init(decoding:))
        guard role != nil || json["r"] == nil else { return nil }
    }
}

extension RoleSession {
    fileprivate var encoded: JSONObject {
        var object: JSONObject = ["r": .string(roleARN), "n": .string(name)]
        func add(_ name: String, _ list: [JSON]) {
            if !list.isEmpty { object[name] = .array(list) }
        }
        add("p", policies.map(JSON.string))
        add("a", policyARNs.map(JSON.string))
        add("t", tags.flatMap { [.string($0.key), .string($0.value)] })
        add("tt", transitiveTagKeys.map(JSON.string))
        add("k", keys.flatMap { [.string($0.key), .string($0.value)] })
        object["s"] = sourceIdentity.map(JSON.string)
        object["f"] = provider.map(JSON.string)
        return object
    }

    fileprivate init?(decoding json: JSON) {
        guard let role = json["r"]?.stringValue, let name = json["n"]?.stringValue else {
            return nil
        }
        self.init(roleARN: role, name: name)
        func texts(_ name: String) -> [String] {
            json[name]?.arrayValue?.compactMap(\.stringValue) ?? []
        }
        func pairs(_ name: String) -> [SessionTag] {
            let texts = texts(name)
            return stride(from: 0, to: texts.count - 1, by: 2).map {
                SessionTag(texts[$0], texts[$0 + 1])
            }
        }
        policies = texts("p")
        policyARNs = texts("a")
        tags = pairs("t")
        transitiveTagKeys = texts("tt")
        keys = pairs("k")
        sourceIdentity = json["s"]?.stringValue
        provider = json["f"]?.stringValue
    }
}

internal import AuthDomain
internal import Bytes
internal import JSON
internal import Time

/// The former addresses of an account, as one attribute of its row.
enum FormerAddresses {
    static func encode(_ addresses: [FormerAddress]) -> [UInt8] {
        JSON.array(
            addresses.map { address in
                var object: JSONObject = [
                    "link": .string(Base64URL.encode(address.link)),
                    "until": .number(address.until.milliseconds),
                ]
                object["claim"] = address.claim.map { .string(Base64URL.encode($0)) }
                return .object(object)
            }
        ).serialized
    }

    /// nil if the bytes are malformed.
    static func decode(_ bytes: [UInt8]) -> [FormerAddress]? {
        guard let json = try? JSON.parse(bytes, limits: .request), let list = json.arrayValue else {
            return nil
        }
        var addresses: [FormerAddress] = []
        for entry in list {
            guard let link = entry["link"]?.stringValue.flatMap({ Base64URL.decode($0) }),
                let until = entry["until"]?.int64Value
            else { return nil }
            var claim: [UInt8]?
            if let member = entry["claim"] {
                guard let digest = member.stringValue.flatMap({ Base64URL.decode($0) }) else {
                    return nil
                }
                claim = digest
            }
            addresses.append(
                FormerAddress(link: link, claim: claim, until: Instant(milliseconds: until)))
        }
        return addresses
    }
}

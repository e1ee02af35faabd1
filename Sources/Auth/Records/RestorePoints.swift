internal import AuthDomain
internal import Bytes
internal import JSON
internal import Time

/// The changes that the owner of an account can undo, as one attribute of its row.
enum RestorePoints {
    private static let method: JSON = "method"

    static func encode(_ points: [RestorePoint]) -> [UInt8] {
        JSON.array(
            points.map { point in
                var object: JSONObject = [
                    "link": .string(Base64URL.encode(point.link)),
                    "until": .number(point.until.milliseconds),
                ]
                object["claim"] = point.claim.map { .string(Base64URL.encode($0)) }
                // A point without this member is about an address.
                if !point.isOfAddress { object["change"] = method }
                return .object(object)
            }
        ).serialized
    }

    /// nil if the bytes are malformed.
    static func decode(_ bytes: [UInt8]) -> [RestorePoint]? {
        guard let json = try? JSON.parse(bytes, limits: .request), let list = json.arrayValue else {
            return nil
        }
        var points: [RestorePoint] = []
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
            points.append(
                RestorePoint(
                    link: link, entry["change"] == method ? .method : .address(claim: claim),
                    until: Instant(milliseconds: until)))
        }
        return points
    }
}

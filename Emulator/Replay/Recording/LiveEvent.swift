internal import Bytes
internal import EmulatorBase
internal import EmulatorGateway
internal import JSON

/// An event as it was sent, with accessors for the known formats.
struct LiveEvent {
    let json: JSON
    /// The decoded body; nil if there is none.
    let body: String?

    init(_ json: JSON) {
        self.json = json
        guard let text = json["body"]?.stringValue else {
            body = nil
            return
        }
        if json["isBase64Encoded"] == true, let bytes = Base64.decode(text) {
            body = String(validating: bytes, as: UTF8.self)
        } else {
            body = text
        }
    }

    var isBinary: Bool { json["body"]?.stringValue != nil && body == nil }

    var method: String? {
        json["requestContext"]?["http"]?["method"]?.stringValue ?? json["httpMethod"]?.stringValue
    }

    var userAgent: String? {
        let context = json["requestContext"]
        return context?["http"]?["userAgent"]?.stringValue
            ?? context?["identity"]?["userAgent"]?.stringValue
    }

    var path: String? { json["rawPath"]?.stringValue ?? json["path"]?.stringValue }

    /// The path, if a parameter of its route names the subject of the request: `/notes/first` of
    /// `PUT /notes/{id}`.
    var parameterPath: String? {
        let route = json["routeKey"]?.stringValue ?? json["resource"]?.stringValue ?? ""
        guard route.hasSuffix("}"), !route.hasSuffix("+}") else { return nil }
        return path
    }

    /// The route's path if the event contains it; otherwise the path, with segments that look like
    /// IDs replaced.
    private var pattern: String? {
        let key = (json["routeKey"]?.stringValue ?? "").split(separator: " ").last.map(String.init)
        if let key, key.hasPrefix("/") { return key }
        if let resource = json["resource"]?.stringValue, resource.hasPrefix("/") { return resource }
        return path?.split(separator: "/").map { segment in
            let isID = segment.utf8.count > 24 || PlaceholderShape.uuid.fits(String(segment))
            return isID ? "id" : String(segment)
        }.joined(separator: "/")
    }

    /// Whether the request only reads, by its method.
    var isReading: Bool {
        guard let method else { return false }
        return ["GET", "HEAD", "OPTIONS"].contains { $0.isSame(as: method) }
    }

    /// The body as JSON; a direct call's event is its own body.
    var content: JSON? {
        guard method != nil else { return json }
        guard let body else { return nil }
        return try? JSON.parse(body, limits: .event)
    }

    /// `post-auth-signin`, `direct`, `scheduled-event`.
    var stem: String {
        let words: String
        if let method, let path = pattern {
            words = "\(method) \(path)"
        } else {
            words =
                json["type"]?.stringValue ?? json["detail-type"]?.stringValue
                ?? "direct"
        }
        var stem = ""
        for byte in words.utf8 {
            if byte.isLetterOrDigit {
                stem.unicodeScalars.append(Unicode.Scalar(byte.lowercased))
            } else if !stem.isEmpty, stem.utf8.last != UInt8(ascii: "-") {
                stem += "-"
            }
        }
        let short = stem.prefix(60)
        return short.hasSuffix("-") ? String(short.dropLast()) : String(short)
    }
}

/// Rewrites the texts of an event, and replaces the values that differ between requests.
enum EventRewriting {
    /// Changes every text, including texts in a base64 body, in the order of the members.
    static func map(_ json: JSON, _ change: (String) -> String) -> JSON {
        switch json {
        case .string(let text): return .string(change(text))
        case .array(let elements): return .array(elements.map { map($0, change) })
        case .object(let object):
            let isBase64 = object["isBase64Encoded"] == true
            return .object(
                JSONObject(
                    object.members.map { name, value in
                        if isBase64, name.isSame(as: "body"), let text = value.stringValue,
                            let bytes = Base64.decode(text),
                            let plain = String(validating: bytes, as: UTF8.self)
                        {
                            return (name, .string(Base64.encode(Array(change(plain).utf8))))
                        }
                        return (name, map(value, change))
                    }))
        case .null, .bool, .number: return json
        }
    }

    private static let constants: [(name: String, value: JSON)] = [
        ("requestid", "JKJaXmPLvHcESHA="), ("extendedrequestid", "JKJaXmPLvHcESHA="),
        ("time", "12/Mar/2026:19:03:58 +0000"), ("requesttime", "12/Mar/2026:19:03:58 +0000"),
        ("timeepoch", 1_773_342_238_390), ("requesttimeepoch", 1_773_342_238_390),
        ("x-amzn-trace-id", "Root=1-69b30e1e-000000000000000000000000"),
    ]

    /// Headers that a client sends and few functions read: accepted compressions, the connection,
    /// and details of the browser.
    private static let noise = [
        "accept-encoding", "cache-control", "connection", "dnt", "pragma", "priority",
        "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-user", "sec-gpc", "te",
        "upgrade-insecure-requests",
    ]

    private static func isNoise(_ header: String) -> Bool {
        noise.containsText(header) || header.hasPrefix("sec-ch-")
    }

    /// The event with the short form's host instead of its own, if its own is one of `hosts` and
    /// occurs nowhere else in the event or in the answer.
    static func withoutAddress(_ json: JSON, _ hosts: [String], answer: JSON) -> JSON {
        guard json["version"] == "2.0", var event = json.objectValue,
            var headers = event["headers"]?.objectValue,
            let host = headers["host"]?.stringValue, hosts.containsText(host)
        else { return json }
        headers["host"] = .string(HTTPAPIEvent.example.host)
        headers["x-forwarded-proto"] = "https"
        headers["x-forwarded-port"] = "443"
        event["headers"] = .object(headers)
        let other = JSON.object(event)
        let isElsewhere = [other.text, LiveEvent(other).body ?? "", answer.text].contains {
            $0.contains(host)
        }
        return isElsewhere ? json : other
    }

    /// The event with a fixed time and fixed request IDs, without headers that are noise.
    static func normalized(_ json: JSON) -> JSON {
        guard var event = json.objectValue else { return json }
        for part in ["requestContext", "headers", "multiValueHeaders"] {
            guard let object = event[part]?.objectValue else { continue }
            event[part] = .object(
                JSONObject(
                    object.members.compactMap { name, value in
                        let lower = name.lowercased()
                        if isNoise(lower), part.has(suffix: "eaders") { return nil }
                        guard let constant = constants.first(where: { $0.name.isSame(as: lower) })
                        else { return (name, value) }
                        return (name, value.arrayValue == nil ? constant.value : [constant.value])
                    }))
        }
        return .object(event)
    }
}

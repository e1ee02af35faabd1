internal import Bytes
internal import EmulatorBase
internal import EmulatorGateway
package import JSON

extension ShortEvent {
    /// The short form of an event; nil if it is not an event of an HTTP API, or if the short form
    /// cannot express a part of it, such as a stage.
    ///
    /// Time, IDs and the API's name are ignored: they differ between requests or deployments.
    package static func abbreviated(_ event: JSON) -> JSON? {
        guard event["version"] == "2.0", let context = event["requestContext"],
            let method = context["http"]?["method"]?.stringValue,
            let path = event["rawPath"]?.stringValue,
            let headers = event["headers"]?.objectValue
        else { return nil }
        let query = event["rawQueryString"]?.stringValue ?? ""
        let target = encoded(path) + (query.isEmpty ? "" : "?\(query)")
        let peer = context["http"]?["sourceIp"]?.stringValue ?? ""
        var parts = HeaderParts(headers, peer: peer, body: body(of: event))

        var short: JSONObject = ["request": .string("\(method) \(parts.origin)\(target)")]
        if let key = event["routeKey"]?.stringValue, !key.isSame(as: "\(method) \(path)") {
            short["route"] = .string(key)
        }
        let bearer = parts.takeBearer()
        if !parts.rest.isEmpty { short["headers"] = .object(parts.rest) }
        if let cookies = event["cookies"] { short["cookies"] = cookies }
        if let bearer { short["bearer"] = .string(bearer) }
        if let authorizer = context["authorizer"] { short["authorizer"] = authorizer }
        if let body = body(of: event) { short["body"] = tree(body) }
        if !peer.isSame(as: sourceAddress.hostText) { short["sourceIp"] = .string(peer) }

        guard let made = try? ShortEvent(.object(short)).event,
            comparable(made) == comparable(event)
        else { return nil }
        return .object(short)
    }

    /// The path before decoding by the gateway.
    private static func encoded(_ path: String) -> String {
        var encoded: [UInt8] = []
        for byte in path.utf8 {
            guard byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "?") else {
                encoded.append(byte)
                continue
            }
            encoded.append(UInt8(ascii: "%"))
            encoded += Hex.encode([byte]).utf8
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func body(of event: JSON) -> String? {
        guard let text = event["body"]?.stringValue else { return nil }
        guard event["isBase64Encoded"] == true else { return text }
        return Base64.decode(text).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The body as JSON if that serialises to the same bytes; otherwise the body as text.
    private static func tree(_ body: String) -> JSON {
        guard let json = try? JSON.parse(body, limits: .event), json.stringValue == nil,
            json.text.isSame(as: body)
        else { return .string(body) }
        return json
    }

    /// The event without the ignored parts.
    private static func comparable(_ event: JSON) -> JSON? {
        guard var object = event.objectValue, var headers = object["headers"]?.objectValue,
            var context = object["requestContext"]?.objectValue
        else { return nil }
        // `accountId` is `anonymous` in the events of a Function URL.
        let isAnonymous = context["accountId"] == "anonymous"
        for name in [
            "accountId", "apiId", "domainName", "domainPrefix", "requestId", "time", "timeEpoch",
        ] {
            context[name] = nil
        }
        context["accountId"] = isAnonymous ? "anonymous" : nil
        // A recorded body contains placeholders, which are longer or shorter than their values.
        for name in ["x-amzn-trace-id", "content-length"] { headers[name] = nil }
        object["headers"] = .object(headers)
        object["requestContext"] = .object(context)
        return .object(object)
    }
}

/// The headers of an event, except those added by the gateway and the defaults.
private struct HeaderParts {
    /// The part of the request line before the path; empty for the default origin.
    let origin: String
    private(set) var rest = JSONObject()

    init(_ headers: JSONObject, peer: String, body: String?) {
        let host = headers["host"]?.stringValue ?? ""
        let scheme = headers["x-forwarded-proto"]?.stringValue ?? ""
        let hasUsualOrigin = scheme.isSame(as: "https") && headers["x-forwarded-port"] == "443"
        origin = hasUsualOrigin ? "" : "\(scheme)://\(host)"

        var usual: [(name: String, value: String)] = [
            ("host", hasUsualOrigin ? HTTPAPIEvent.example.host : host),
            ("user-agent", ShortEvent.userAgent),
        ]
        if let body, !body.isEmpty { usual.append(("content-type", ShortEvent.contentType)) }
        let own = ["x-forwarded-proto", "x-forwarded-port", "x-amzn-trace-id", "content-length"]
        for (name, value) in headers.members where !own.containsText(name) {
            guard let text = value.stringValue else { continue }
            let isUsual = usual.contains { $0.name.isSame(as: name) && $0.value.isSame(as: text) }
            if name.isSame(as: "x-forwarded-for") {
                // The gateway adds the client's address.
                if text.isSame(as: peer) { continue }
                let added = text.has(suffix: ", \(peer)") ? peer.utf8.count + 2 : 0
                rest[name] = .string(String(Substring(text.utf8.dropLast(added))))
            } else if !isUsual {
                rest[name] = value
            }
        }
        for (name, _) in usual where headers[name] == nil { rest[name] = .null }
    }

    /// The token of `Authorization: Bearer`.
    mutating func takeBearer() -> String? {
        let scheme = "Bearer "
        guard let text = rest["authorization"]?.stringValue, text.has(prefix: scheme) else {
            return nil
        }
        let token = text.dropping(prefix: scheme)
        guard !token.isEmpty, !token.utf8.contains(where: { $0 <= 0x20 || $0 == 0x2C }) else {
            return nil
        }
        rest["authorization"] = nil
        return token
    }
}

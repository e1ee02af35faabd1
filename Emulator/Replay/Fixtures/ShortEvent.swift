internal import Bytes
internal import EmulatorBase
internal import EmulatorGateway
internal import HTTP
package import JSON
internal import Time

/// The short form of an HTTP API's event: the client's request. The emulator's gateway adds the
/// other parts (Events/README.md, "The short form").
package struct ShortEvent {
    static let memberNames = [
        "request", "route", "headers", "cookies", "bearer", "authorizer", "body", "sourceIp",
        "time",
    ]

    /// The complete event.
    let event: JSON

    /// The key of the gateway's route for a request that names none; nil uses the request's own
    /// method and path.
    typealias Routing = (
        _ method: String, _ target: String
    ) throws(FixtureFailure) -> String?

    /// In AWS's events `request` is never a string.
    package static func isShort(_ json: JSON) -> Bool { json["request"]?.stringValue != nil }

    /// The event as passed to the function, from a fixture's file or an event.
    package static func expanded(_ json: JSON) throws(FixtureFailure) -> JSON {
        try expanded(json, routing: nil)
    }

    static func expanded(_ json: JSON, routing: Routing?) throws(FixtureFailure) -> JSON {
        let event = EventFile(json).event
        return isShort(event) ? try ShortEvent(event, routing: routing).event : event
    }

    /// The complete event of a file. Bytes that are not JSON are a valid event too.
    static func expanded(
        _ bytes: [UInt8], routing: Routing? = nil
    ) throws(FixtureFailure) -> [UInt8] {
        guard let json = try? JSON.parse(bytes, limits: .event) else { return bytes }
        let event = try expanded(json, routing: routing)
        return event == json ? bytes : event.serialized
    }

    /// - Parameter place: the event's name in error messages.
    init(
        _ json: JSON, at place: String = "event", routing: Routing? = nil
    ) throws(FixtureFailure) {
        guard let object = json.objectValue else {
            throw FixtureFailure("\(place) is not an object")
        }
        for (name, _) in object.members where !Self.memberNames.containsText(name) {
            throw FixtureFailure(
                "\(place).\(name) is unknown: an event with 'request' has "
                    + Self.memberNames.joined(separator: ", "))
        }
        let line = try RequestLine(
            try MemberReader.text(object["request"], "\(place).request"), at: "\(place).request")
        let body = object["body"].map { Array(($0.stringValue ?? $0.text).utf8) } ?? []
        let request = ServerRequest(
            method: line.method, target: line.target,
            headers: try Self.headers(object, line, hasBody: !body.isEmpty, at: place), body: body,
            peer: try Self.peer(object["sourceIp"], at: place),
            local: ServerAddress(host: 0, port: line.port), isSecure: line.isSecure)
        let route =
            if let json = object["route"] {
                try MemberReader.text(json, "\(place).route")
            } else { try routing?(line.method, line.target) }
        let time = try Self.time(object["time"], at: place)
        guard let event = HTTPAPIEvent.example.event(request, route: route, at: time) else {
            throw FixtureFailure(
                "\(place).route: \(line.method) \(line.target) does not lead to "
                    + "\(route ?? "it"); expected METHOD PATH, with {name} for a parameter, "
                    + "or $default")
        }
        self.event = try Self.adding(object["authorizer"], to: event, at: place)
    }

    /// The authorizer's context, such as `{"jwt": {"claims": {…}, "scopes": null}}`.
    private static func adding(
        _ authorizer: JSON?, to event: JSON, at place: String
    ) throws(FixtureFailure) -> JSON {
        guard let authorizer else { return event }
        guard authorizer.objectValue != nil else {
            throw FixtureFailure("\(place).authorizer is not an object")
        }
        guard var whole = event.objectValue, var context = whole["requestContext"]?.objectValue
        else { return event }
        context["authorizer"] = authorizer
        whole["requestContext"] = .object(context)
        return .object(whole)
    }
}

// The parts of a request.
extension ShortEvent {
    static let userAgent = "App/1.0 (iPhone; iOS 26.0)"
    static let contentType = "application/json"
    /// An address for documentation (RFC 5737).
    static let sourceAddress = ServerAddress(host: 0xCB00_7109, port: 0)
    /// 2026-03-12T19:03:58.390Z
    private static let usualTime = Instant(milliseconds: 1_773_342_238_390)

    /// Headers that the gateway sets from the request's URL, whatever the client sends.
    private static let originHeaders = ["x-forwarded-proto", "x-forwarded-port"]

    private static func headers(
        _ object: JSONObject, _ line: RequestLine, hasBody: Bool, at place: String
    ) throws(FixtureFailure) -> [HTTPHeader] {
        var headers: [HTTPHeader] = []
        var given: [String] = []
        if let json = object["headers"] {
            for (name, value) in try MemberReader(json, at: "\(place).headers").members {
                let here = "\(place).headers.\(name)"
                guard !name.isEmpty, !name.utf8.contains(where: { $0 <= 0x20 || $0 == 0x3A }) else {
                    throw FixtureFailure("\(here) is not a valid header name")
                }
                guard !Self.originHeaders.containsText(name.asciiLowercased) else {
                    throw FixtureFailure(
                        "\(here) is set by the gateway: write 'METHOD http://HOST:PORT/PATH' in "
                            + "\(place).request")
                }
                given.append(name.asciiLowercased)
                if value.isNull { continue }
                let values =
                    value.arrayValue == nil
                    ? [try MemberReader.text(value, here)] : try MemberReader.texts(value, here)
                headers += values.map { HTTPHeader(name, $0) }
            }
        }
        if let bearer = object["bearer"] {
            guard !given.containsText("authorization") else {
                throw FixtureFailure("\(place) has both bearer and headers.authorization")
            }
            headers.append(
                HTTPHeader(
                    "authorization", "Bearer \(try MemberReader.text(bearer, "\(place).bearer"))"))
        }
        if let cookies = object["cookies"] {
            let pairs = try MemberReader.texts(cookies, "\(place).cookies")
            headers.append(HTTPHeader("cookie", pairs.joined(separator: "; ")))
        }
        var usual = [("host", line.host), ("user-agent", userAgent)]
        if hasBody { usual.append(("content-type", contentType)) }
        headers += usual.filter { !given.containsText($0.0) }.map { HTTPHeader($0.0, $0.1) }
        return headers
    }

    private static func peer(_ json: JSON?, at place: String) throws(FixtureFailure)
        -> ServerAddress
    {
        guard let json else { return sourceAddress }
        let text = try MemberReader.text(json, "\(place).sourceIp")
        guard let host = address(text) else {
            throw FixtureFailure("\(place).sourceIp: expected an IPv4 address, found '\(text)'")
        }
        return ServerAddress(host: host, port: 0)
    }

    /// `203.0.113.9`
    static func address(_ text: String) -> UInt32? {
        let parts = text.pieces(at: ".")
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard let byte = UInt8(part), String(byte).isSame(as: part) else { return nil }
            address = address << 8 | UInt32(byte)
        }
        return address
    }

    private static func time(_ json: JSON?, at place: String) throws(FixtureFailure) -> Instant {
        guard let json else { return usualTime }
        let text = try MemberReader.text(json, "\(place).time")
        guard let time = Instant(iso8601: text) else {
            throw FixtureFailure(
                "\(place).time: expected a time such as 2026-03-12T19:03:58Z, found '\(text)'")
        }
        return time
    }
}

/// `POST /auth/signin?x=y`, or with an absolute URL.
private struct RequestLine {
    let method: String
    let target: String
    let isSecure: Bool
    let host: String
    let port: UInt16

    init(_ text: String, at place: String) throws(FixtureFailure) {
        let (method, rest) = text.halves(at: " ")
        let isMethod =
            !method.isEmpty
            && method.utf8.allSatisfy { $0.isLetter || $0 == UInt8(ascii: "-") }
        guard let target = rest, isMethod, !target.utf8.contains(where: { $0 <= 0x20 }),
            let origin = Self.origin(target)
        else {
            throw FixtureFailure(
                "\(place): expected METHOD PATH such as 'POST /auth/signin', found '\(text)'")
        }
        self.method = method
        self.target = origin.path
        isSecure = origin.isSecure
        host = origin.host
        port = origin.port
    }

    private static func origin(
        _ target: String
    ) -> (isSecure: Bool, host: String, port: UInt16, path: String)? {
        if target.has(prefix: "/") { return (true, HTTPAPIEvent.example.host, 443, target) }
        for (scheme, portDefault) in [("https://", UInt16(443)), ("http://", 80)]
        where target.has(prefix: scheme) {
            let (host, path) = target.dropping(prefix: scheme).halves(at: "/")
            let (name, portText) = host.halves(at: ":")
            guard !name.isEmpty, let port = portText.map({ UInt16($0) }) ?? portDefault else {
                return nil
            }
            return (scheme.isSame(as: "https://"), host, port, "/\(path ?? "")")
        }
        return nil
    }
}

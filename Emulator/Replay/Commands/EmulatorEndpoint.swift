internal import Bytes
internal import EmulatorGateway
package import HTTP
internal import JSON

/// The endpoints of a running emulator, found from the address of any of its ports.
package struct EmulatorEndpoint: Sendable {
    package let appURL: String
    package let awsURL: String
    /// The template's path, as passed to the emulator.
    package let template: String

    /// nil if no emulator answers. The host is taken from `url`, and may be another machine.
    package init?(at url: String, _ transport: HTTPTransport) {
        let request = HTTPRequest(
            .get, "\(url)/_emulator/health",
            limits: HTTPLimits(
                connectMillisecondsMax: 1000, totalMillisecondsMax: 10_000,
                responseBytesMax: 8 << 20))
        guard let response = try? transport.send(request), response.status == 200,
            let health = try? JSON.parse(response.body, limits: .event),
            let app = health["url"]?.stringValue, let aws = health["awsUrl"]?.stringValue
        else { return nil }
        let controls = health["controlUrl"]?.stringValue ?? app
        template = health["template"]?.stringValue ?? ""
        // An unknown port is assumed to forward to the AWS endpoint, because functions are invoked
        // there.
        let ports = [app, aws, controls].map(Self.port)
        let own = Self.port(url)
        let isKnown = ports.contains(own)
        appURL = own == ports[0] || !isKnown ? url : Self.with(ports[0], url)
        awsURL = own == ports[1] || !isKnown ? url : Self.with(ports[1], url)
    }

    /// The key of the route that leads a request to the function; nil if the emulator has no such
    /// function.
    func route(
        to function: String, _ method: String, _ target: String, _ transport: HTTPTransport
    ) throws(FixtureFailure) -> String? {
        let request = HTTPRequest(
            .get, "\(appURL)/_emulator/",
            limits: HTTPLimits(
                connectMillisecondsMax: 1000, totalMillisecondsMax: 10_000,
                responseBytesMax: 8 << 20))
        guard let response = try? transport.send(request), response.status == 200,
            let routes = try? JSON.parse(response.body, limits: .event)["routes"]?.arrayValue
        else { return nil }
        let own = routes.filter { $0["function"]?.stringValue?.isSame(as: function) == true }
        guard !own.isEmpty else { return nil }
        let keys = own.compactMap { $0["key"]?.stringValue }
        guard let key = HTTPAPIEvent.route(of: keys, method, target) else {
            throw .noRoute(method, target, to: function, keys)
        }
        return key
    }

    private static func port(_ url: String) -> String {
        let digits = url.utf8.reversed().prefix(while: \.isDigit)
        return String(decoding: digits.reversed(), as: UTF8.self)
    }

    /// The URL with another port, over HTTP, which each endpoint supports.
    private static func with(_ port: String, _ url: String) -> String {
        let rest = url.utf8.firstOccurrence(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let end = rest.utf8.lastIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
        return "http://\(rest[..<end]):\(port)"
    }
}

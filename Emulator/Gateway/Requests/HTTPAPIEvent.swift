internal import Bytes
internal import Cryptography
package import EmulatorBase
package import JSON
package import Time

/// The event of a request to an HTTP API that is not in a template.
package struct HTTPAPIEvent: Sendable {
    /// An example in the form of the AWS documentation; the host name begins with the ID.
    package static let example = HTTPAPIEvent(id: "a1b2c3", region: "eu-central-1")

    private let id: String
    private let settings: TemplateSettings

    package init(id: String, region: String) {
        self.id = id
        settings = TemplateSettings(region: region)
    }

    package var host: String { endpoint([]).scope.host }

    /// nil if the request does not match the route, which is written as in a template: `DELETE
    /// /sessions/{id}`, `$default`. Without a route, it is the request's own method and path, or
    /// `$default` if the path cannot be a route.
    ///
    /// Equal requests produce equal events: `time` and the IDs do not vary.
    package func event(_ request: ServerRequest, route key: String?, at time: Instant) -> JSON? {
        let target = RequestTarget(parsing: request.target)
        let routes: [APIRoute]
        if let key {
            guard let route = Self.route(key) else { return nil }
            routes = [route]
        } else {
            routes = ["\(request.method) \(target.path)", API.defaultStage].compactMap(Self.route)
        }
        let endpoint = endpoint(routes)
        guard
            case .route(let match) = endpoint.router.match(
                method: request.method, path: target.path)
        else { return nil }
        let incoming = IncomingRequest(
            request, target: target, form: .http,
            ports: GatewayPorts(
                invoke: { _, _, _, _ in }, clock: .fixed(at: time), random: Self.constant,
                after: { _, _ in }, fetch: { _, _ in }, identify: { _, _, _ in nil }))
        return EventV2.event(incoming, match, endpoint.scope, grant: .none)
    }

    /// The most specific of these routes that the request matches; nil if there is none.
    package static func route(
        of keys: [String], _ method: String, _ target: String
    ) -> String? {
        let api = API(
            kind: .http, logicalID: "", id: "", stage: API.defaultStage,
            routes: keys.compactMap(route))
        let path = RequestTarget(parsing: target).path
        guard case .route(let match) = Router(api).match(method: method, path: path) else {
            return nil
        }
        return match.route.key
    }

    private func endpoint(_ routes: [APIRoute]) -> APIEndpoint {
        APIEndpoint(
            API(kind: .http, logicalID: id, id: id, stage: API.defaultStage, routes: routes),
            index: 0, settings: settings, options: .standard)
    }

    private static func route(_ key: String) -> APIRoute? {
        let function = FunctionName("")
        if key.isSame(as: API.defaultStage) {
            return APIRoute(method: nil, pattern: nil, function: function)
        }
        let (method, path) = key.halves(at: " ")
        guard let pattern = path.flatMap(PathPattern.init(parsing:)) else { return nil }
        return APIRoute(
            method: method.isSame(as: "ANY") ? nil : method, pattern: pattern, function: function)
    }

    /// Produces the request ID of the examples in the API Gateway Developer Guide.
    private static let constant = RandomSource { count in
        let bytes = Base64.decode("JKJaXmPLvHcESHA=") ?? [0]
        return (0..<count).map { bytes[$0 % bytes.count] }
    }
}

internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Time

/// The event sources of a function.
extension TemplateReader {
    func readEvent(
        _ name: String, _ event: TemplateSection, of function: FunctionResource
    ) throws(TemplateFailure) {
        defer { event.finish() }
        let type = try event.requiredText("Type")
        guard let properties = try event.section("Properties") else {
            // Only the default route needs no properties.
            guard type.isSame(as: "HttpApi") else {
                throw TemplateFailure(event.path("Properties"), .missing)
            }
            return try addHTTPRoute(TemplateSection([:], at: event.path, log: log), to: function)
        }
        switch type {
        case "HttpApi": try addHTTPRoute(properties, to: function)
        case "Api": try addRESTRoute(properties, to: function)
        case "Schedule": try addRule(name, properties, for: function)
        case "ScheduleV2": try addScheduler(name, properties, for: function)
        default:
            let hint = NearestName.hint(type, among: ["HttpApi", "Api", "Schedule", "ScheduleV2"])
            log.warn(event.path("Type"), "the emulator has no events of the kind \(type)\(hint)")
        }
    }

    private func addHTTPRoute(
        _ event: TemplateSection, to function: FunctionResource
    ) throws(TemplateFailure) {
        defer { event.finish() }
        guard let index = try api(.http, id: try event.text("ApiId"), event.path("ApiId")) else {
            return event.ignoreAll()
        }
        let (method, pattern) = try target(event, of: .http)
        var route = APIRoute(method: method, pattern: pattern, function: function.name)
        switch try event.text("PayloadFormatVersion") ?? "2.0" {
        case "2.0", "2": route.payload = .v2
        case "1.0", "1": route.payload = .v1
        default: throw event.wrong("PayloadFormatVersion", "1.0 or 2.0")
        }
        route.integrationLimit = try integrationLimit(event, maxMilliseconds: 30_000)
        if let settings = try event.section("RouteSettings") {
            route.throttle = try throttle(settings)
        }
        try add(route, auth: try event.section("Auth"), toAPI: index, at: event.path)
    }

    private func addRESTRoute(
        _ event: TemplateSection, to function: FunctionResource
    ) throws(TemplateFailure) {
        defer { event.finish() }
        event.unsupported("RequestModel", "the emulator does not validate requests against models")
        event.unsupported("RequestParameters", "the emulator requires no parameters")
        event.unsupported("ResponseTransferMode", "responses are not streamed, but buffered")
        let id = try event.text("RestApiId")
        guard let index = try api(.rest, id: id, event.path("RestApiId")) else {
            return event.ignoreAll()
        }
        let (method, pattern) = try target(event, of: .rest)
        var route = APIRoute(
            method: method, pattern: pattern, function: function.name, payload: .v1)
        route.integrationLimit = try integrationLimit(event, maxMilliseconds: 29_000)
        try add(route, auth: try event.section("Auth"), toAPI: index, at: event.path)
    }

    /// nil for an API of a type that the emulator does not have.
    private func api(
        _ kind: API.Kind, id: String?, _ path: String
    ) throws(TemplateFailure) -> Int? {
        guard let id else { return try impliedAPI(kind) }
        let index = template.apis.firstIndex {
            $0.kind == kind && ($0.id.isSame(as: id) || $0.logicalID.isSame(as: id))
        }
        if let index { return index }
        let implied =
            kind == .http ? TemplateEvaluator.impliedHTTPAPI : TemplateEvaluator.impliedRESTAPI
        guard !id.isSame(as: implied), !id.isSame(as: evaluator.apiID(implied)) else {
            return try impliedAPI(kind)
        }
        if let type = evaluator.type(ofAPI: id) {
            log.warn(path, "\(type) is not supported by the emulator; the route is omitted")
            return nil
        }
        throw TemplateFailure(path, .unknownReference("an API of that kind"))
    }

    /// The methods that API Gateway supports.
    private static let methods = ["GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "DELETE"]

    private func target(
        _ event: TemplateSection, of kind: API.Kind
    ) throws(TemplateFailure) -> (method: String?, pattern: PathPattern?) {
        let isDefaultAllowed = kind == .http
        var path = try event.text("Path")
        // In a REST API a path stands for a resource: `/a/` is `/a`.
        if kind == .rest, let text = path, text.has(suffix: "/"), text.utf8.count > 1 {
            path = String(text.dropLast())
        }
        let method = try event.text("Method").map(\.asciiUppercased)
        if path == nil, method == nil, isDefaultAllowed { return (nil, nil) }
        guard let path else { throw TemplateFailure(event.path("Path"), .missing) }
        guard let method else { throw TemplateFailure(event.path("Method"), .missing) }
        if path.isSame(as: API.defaultStage), isDefaultAllowed { return (nil, nil) }
        guard let pattern = PathPattern(parsing: path) else {
            throw event.wrong("Path", "a path of whole segments, such as /users/{id}")
        }
        let isAny =
            method.isSame(as: "ANY") || method.isSame(as: "X-AMAZON-APIGATEWAY-ANY-METHOD")
        guard isAny || Self.methods.contains(where: method.isSame(as:)) else {
            throw event.wrong("Method", "one of \(Self.methods.joined(separator: ", ")) and ANY")
        }
        return (isAny ? nil : method, pattern)
    }

    private func integrationLimit(
        _ event: TemplateSection, maxMilliseconds: Int
    ) throws(TemplateFailure) -> Span? {
        try event.integer("TimeoutInMillis", in: 50...maxMilliseconds).map {
            .milliseconds(Int64($0))
        }
    }

    private func add(
        _ route: APIRoute, auth: TemplateSection?, toAPI index: Int, at path: String
    ) throws(TemplateFailure) {
        var route = route
        route.path = path
        let defaults = self.defaults[template.apis[index].logicalID] ?? RouteDefaults()
        route.authorization = try authorization(auth, defaults)
        route.throttle =
            route.throttle
            ?? defaults.routeThrottles.last { $0.key.isSame(as: route.key) }?.throttle
            ?? defaults.throttle
        guard !template.apis[index].routes.contains(where: { $0.key.isSame(as: route.key) }) else {
            throw TemplateFailure(path, .invalid("the route \(route.key) is a duplicate"))
        }
        template.apis[index].routes.append(route)
    }

    private func authorization(
        _ auth: TemplateSection?, _ defaults: RouteDefaults
    ) throws(TemplateFailure) -> APIRoute.Authorization {
        var name = defaults.authorizer
        var scopes: [String]?
        if let auth {
            defer { auth.finish() }
            auth.ignore("InvokeRole", "OverrideApiAuth")
            auth.unsupported("ApiKeyRequired", "the emulator has no API keys")
            auth.unsupported("ResourcePolicy", "the emulator evaluates no resource policy")
            name = try auth.text("Authorizer") ?? name
            scopes = try auth.texts("AuthorizationScopes")
        }
        guard let name, !name.isSame(as: "NONE") else { return .none }
        if name.isSame(as: "AWS_IAM") { return .iam }
        let usual = defaults.scopes.last { $0.authorizer.isSame(as: name) }?.scopes
        return .authorizer(name, scopes: scopes ?? usual ?? [])
    }
}

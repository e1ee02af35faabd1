internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Time

extension TemplateReader {
    func readHTTPAPI(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        section.ignore(
            "Name", "Description", "Tags", "PropagateTags", "FailOnWarnings", "AccessLogSettings",
            "DisableExecuteApiEndpoint")
        for name in ["DefinitionBody", "DefinitionUri"] {
            section.unsupported(name, "routes are read only from the functions' events")
        }
        section.unsupported("Domain", "the emulator has no domain names")
        section.unsupported(
            "MutualTlsAuthentication", "the emulator verifies no client certificates")
        var api = API(
            kind: .http, logicalID: resource.logicalID, id: evaluator.apiID(resource.logicalID),
            stage: try section.text("StageName") ?? API.defaultStage,
            stageVariables: try section.textMap("StageVariables"))
        api.cors = try httpCORS(section)
        defaults[resource.logicalID] = try httpDefaults(section, &api)
        template.apis.append(api)
    }

    func readRESTAPI(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        section.ignore(
            "Name", "Description", "Tags", "PropagateTags", "FailOnWarnings", "AccessLogSetting",
            "EndpointConfiguration", "OpenApiVersion", "AlwaysDeploy",
            "MinimumCompressionSize", "DisableExecuteApiEndpoint", "Mode", "MergeDefinitions")
        for name in ["DefinitionBody", "DefinitionUri"] {
            section.unsupported(name, "routes are read only from the functions' events")
        }
        section.unsupported("TracingEnabled", is: true, Self.tracing)
        section.unsupported("Domain", "the emulator has no domain names")
        section.unsupported("GatewayResponses", "gateway errors are always AWS's default ones")
        section.unsupported("CacheClusterEnabled", "the emulator caches no responses")
        section.unsupported("CacheClusterSize", "the emulator caches no responses")
        section.unsupported("CanarySetting", "the emulator has one deployment")
        section.unsupported("ApiKeySourceType", "the emulator has no API keys")
        section.unsupported("Models", "the emulator does not validate requests against models")
        var api = API(
            kind: .rest, logicalID: resource.logicalID, id: evaluator.apiID(resource.logicalID),
            stage: try section.requiredText("StageName"),
            stageVariables: try section.textMap("Variables"))
        // In OpenAPI `~1` stands for a slash in a name.
        api.binaryMediaTypes = (try section.texts("BinaryMediaTypes") ?? []).map {
            $0.replacing("~1", with: "/").asciiLowercased
        }
        api.cors = try restCORS(section)
        defaults[resource.logicalID] = try restDefaults(section, &api)
        template.apis.append(api)
    }

    /// The API that SAM creates for events that name no API.
    func impliedAPI(_ kind: API.Kind) throws(TemplateFailure) -> Int {
        let name =
            kind == .http ? TemplateEvaluator.impliedHTTPAPI : TemplateEvaluator.impliedRESTAPI
        if let index = template.apis.firstIndex(where: { $0.logicalID.isSame(as: name) }) {
            return index
        }
        let type = kind == .http ? "AWS::Serverless::HttpApi" : "AWS::Serverless::Api"
        let own: JSONObject = kind == .http ? [:] : ["StageName": "Prod"]
        let resource = TemplateResource(
            logicalID: name, type: type,
            properties: TemplateSection(merged(own, type: type), at: "Globals", log: log))
        if kind == .http { try readHTTPAPI(resource) } else { try readRESTAPI(resource) }
        return template.apis.count - 1
    }
}

/// The defaults for routes of an API.
struct RouteDefaults {
    var authorizer: String?
    /// Scopes by authorizer.
    var scopes: [(authorizer: String, scopes: [String])] = []
    var throttle: Throttle?
    /// Throttles by route key (`GET /x`), as in the template.
    var routeThrottles: [(key: String, throttle: Throttle)] = []
}

extension TemplateReader {
    private func httpDefaults(
        _ section: TemplateSection, _ api: inout API
    ) throws(TemplateFailure) -> RouteDefaults {
        var defaults = RouteDefaults()
        if let auth = try section.section("Auth") {
            defer { auth.finish() }
            auth.ignore("EnableIamAuthorizer")
            for (name, authorizer) in try auth.sections("Authorizers") {
                let (read, scopes) = try httpAuthorizer(name, authorizer)
                api.authorizers.append(read)
                defaults.scopes.append((name, scopes))
            }
            defaults.authorizer = try auth.text("DefaultAuthorizer")
        }
        if let settings = try section.section("DefaultRouteSettings") {
            defaults.throttle = try throttle(settings)
        }
        for (key, settings) in try section.sections("RouteSettings") {
            guard let throttle = try throttle(settings) else { continue }
            defaults.routeThrottles.append((key, throttle))
        }
        return defaults
    }

    private func restDefaults(
        _ section: TemplateSection, _ api: inout API
    ) throws(TemplateFailure) -> RouteDefaults {
        var defaults = RouteDefaults()
        if let auth = try section.section("Auth") {
            defer { auth.finish() }
            auth.ignore("AddDefaultAuthorizerToCorsPreflight", "InvokeRole")
            auth.unsupported("ApiKeyRequired", "the emulator has no API keys")
            auth.unsupported("UsagePlan", "the emulator has no usage plans")
            auth.unsupported("ResourcePolicy", "the emulator evaluates no resource policy")
            auth.unsupported("AddApiKeyRequiredToCorsPreflight", "the emulator has no API keys")
            for (name, authorizer) in try auth.sections("Authorizers") {
                guard let read = try restAuthorizer(name, authorizer) else { continue }
                api.authorizers.append(read)
            }
            defaults.authorizer = try auth.text("DefaultAuthorizer")
        }
        for (index, value) in (try section.list("MethodSettings") ?? []).enumerated() {
            let path = "\(section.path("MethodSettings"))[\(index)]"
            guard let object = value.objectValue else {
                throw TemplateFailure(path, .wrongType(expected: "an object"))
            }
            let settings = TemplateSection(object, at: path, log: log)
            let method = try settings.text("HttpMethod") ?? "*"
            let resource = (try settings.text("ResourcePath") ?? "/*")
                .replacing("~1", with: "/")
            guard let throttle = try throttle(settings) else { continue }
            if method.isSame(as: "*"), resource.isSame(as: "/*") {
                defaults.throttle = throttle
            } else {
                defaults.routeThrottles.append(
                    ("\(method.isSame(as: "*") ? "ANY" : method) \(resource)", throttle))
            }
        }
        return defaults
    }

    func throttle(_ section: TemplateSection) throws(TemplateFailure) -> Throttle? {
        defer { section.finish() }
        section.ignore(
            "DetailedMetricsEnabled", "DataTraceEnabled", "LoggingLevel", "MetricsEnabled")
        section.unsupported("CachingEnabled", "the emulator caches no responses")
        section.unsupported("CacheTtlInSeconds", "the emulator caches no responses")
        let burst = try section.integer("ThrottlingBurstLimit", in: 0...1_000_000)
        let rate = try section.number("ThrottlingRateLimit")
        guard burst != nil || rate != nil else { return nil }
        // A missing value is the account's default.
        return Throttle(ratePerSecond: rate ?? 10_000, burst: burst ?? 5_000)
    }
}

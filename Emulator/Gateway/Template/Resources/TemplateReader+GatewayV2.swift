internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Time

/// An HTTP API in CloudFormation's own resources, without SAM.
extension TemplateReader {
    func readPlainAPI(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        section.ignore(
            "Name", "Description", "Tags", "DisableExecuteApiEndpoint", "FailOnWarnings",
            "ApiKeySelectionExpression", "DisableSchemaValidation", "IpAddressType", "Version")
        if let type = try section.text("ProtocolType"), !type.isSame(as: "HTTP") {
            return section.unsupported("ProtocolType", "only HTTP APIs are supported")
        }
        for name in ["Body", "BodyS3Location", "Target", "RouteKey"] {
            section.unsupported(name, "routes are read only from AWS::ApiGatewayV2::Route")
        }
        var api = API(
            kind: .http, logicalID: resource.logicalID, id: evaluator.apiID(resource.logicalID),
            stage: API.defaultStage)
        api.cors = try httpCORS(section)
        template.apis.append(api)
    }

    func readStage(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        section.ignore(
            "AutoDeploy", "Description", "Tags", "AccessLogSettings", "DeploymentId",
            "AccessPolicyId")
        section.unsupported("ClientCertificateId", "the emulator presents no certificate")
        guard let index = try plainAPI(section) else { return section.ignoreAll() }
        template.apis[index].stage = try section.requiredText("StageName")
        template.apis[index].stageVariables = try section.textMap("StageVariables")
        var defaults = RouteDefaults()
        if let settings = try section.section("DefaultRouteSettings") {
            defaults.throttle = try throttle(settings)
        }
        for (key, settings) in try section.sections("RouteSettings") {
            guard let throttle = try throttle(settings) else { continue }
            defaults.routeThrottles.append((key, throttle))
        }
        self.defaults[template.apis[index].logicalID] = defaults
    }

    func readIntegration(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        section.ignore("ApiId", "Description", "IntegrationMethod", "CredentialsArn")
        guard try section.requiredText("IntegrationType").isSame(as: "AWS_PROXY"),
            let function = try section.text("IntegrationUri").flatMap(Self.function)
        else {
            section.ignoreAll()
            return log.warn(resource.path, "only integrations with Lambda functions are supported")
        }
        var integration = PlainIntegration(function: function)
        switch try section.text("PayloadFormatVersion") ?? "1.0" {
        case "2.0": integration.payload = .v2
        case "1.0": integration.payload = .v1
        default: throw section.wrong("PayloadFormatVersion", "1.0 or 2.0")
        }
        integration.milliseconds = try section.integer("TimeoutInMillis", in: 50...30_000)
        let id = try evaluator.physicalID(of: resource.logicalID, at: resource.path)
        integrations[id] = integration
    }

    func readRoute(_ resource: TemplateResource) throws(TemplateFailure) {
        let section = resource.properties
        defer { section.finish() }
        section.ignore("OperationName", "AuthorizerId", "AuthorizationScopes", "ApiKeyRequired")
        let key = try section.requiredText("RouteKey")
        let target = try section.text("Target") ?? ""
        guard let index = try plainAPI(section),
            let integration = integrations[target.dropping(prefix: "integrations/")]
        else {
            return log.warn(resource.path, "the route \(key) leads to no function here")
        }
        var route: APIRoute
        if key.isSame(as: API.defaultStage) {
            route = APIRoute(method: nil, pattern: nil, function: integration.function)
        } else {
            let words = key.split(separator: " ").map(String.init)
            guard words.count == 2, let pattern = PathPattern(parsing: words[1]) else {
                throw section.wrong("RouteKey", "a method and a path, such as GET /users/{id}")
            }
            let isAny = words[0].isSame(as: "ANY")
            route = APIRoute(
                method: isAny ? nil : words[0], pattern: pattern, function: integration.function)
        }
        switch try section.text("AuthorizationType") ?? "NONE" {
        case "NONE": break
        case "AWS_IAM": route.authorization = .iam
        case let type:
            return log.warn(
                section.path("AuthorizationType"),
                "\(type) is only supported for AWS::Serverless::HttpApi; the route is omitted")
        }
        route.payload = integration.payload
        route.integrationLimit = integration.milliseconds.map { .milliseconds(Int64($0)) }
        route.path = resource.path
        let defaults = self.defaults[template.apis[index].logicalID] ?? RouteDefaults()
        route.throttle =
            defaults.routeThrottles.last { $0.key.isSame(as: key) }?.throttle ?? defaults.throttle
        template.apis[index].routes.append(route)
    }

    /// The API that a part names; nil, with a warning, for an API of another kind.
    private func plainAPI(_ section: TemplateSection) throws(TemplateFailure) -> Int? {
        let id = try section.requiredText("ApiId")
        let index = template.apis.firstIndex { $0.id.isSame(as: id) }
        if index == nil { log.warn(section.path("ApiId"), "the template has no HTTP API \(id)") }
        return index
    }

    /// The function of an ARN, or of the path by which API Gateway invokes it.
    private static func function(of uri: String) -> FunctionName? {
        // `arn:aws:lambda:us-east-1:123456789012:function:NAME`, possibly within that path.
        let parts = uri.pieces(at: ":")
        guard let word = parts.lastIndex(where: { $0.isSame(as: "function") }),
            word + 1 < parts.count
        else { return nil }
        return FunctionName(parts[word + 1].pieces(at: "/")[0])
    }
}

/// An `AWS::ApiGatewayV2::Integration` with a function.
struct PlainIntegration {
    let function: FunctionName
    var payload = APIRoute.Payload.v1
    var milliseconds: Int?
}

internal import Bytes
internal import JSON
internal import Time

/// An API with its compiled routes.
struct APIEndpoint: Sendable {
    let index: Int
    let api: API
    let router: Router
    let scope: EventScope

    init(_ api: API, index: Int, settings: TemplateSettings, options: GatewayOptions) {
        self.index = index
        self.api = api
        router = Router(api)
        scope = EventScope(
            accountID: settings.accountID, region: settings.region, apiID: api.id,
            stage: api.stage,
            stageVariables: JSONObject(api.stageVariables.map { ($0.name, .string($0.value)) }),
            host: "\(api.id).execute-api.\(settings.region).amazonaws.com", options: options)
    }

    /// The possible paths of a request, with and without the stage.
    func paths(_ target: RequestTarget, _ mode: GatewayOptions.StageInPath) -> [String] {
        guard !api.stage.isSame(as: API.defaultStage) else { return [target.path] }
        let stripped = target.path(behind: "/\(api.stage)").map { [$0] } ?? []
        switch mode {
        case .required: return stripped
        case .optional: return stripped + [target.path]
        case .absent: return [target.path]
        }
    }
}

/// A Function URL and its scope.
struct FunctionURLEndpoint: Sendable {
    let function: FunctionName
    let arn: String
    let url: FunctionURL
    let scope: EventScope

    init(
        _ function: FunctionResource, _ url: FunctionURL, settings: TemplateSettings,
        options: GatewayOptions
    ) {
        self.function = function.name
        arn = function.arn
        self.url = url
        scope = EventScope(
            accountID: settings.accountID, region: settings.region, apiID: url.id,
            stage: API.defaultStage, stageVariables: [:],
            host: "\(url.id).lambda-url.\(settings.region).on.aws", options: options)
    }
}

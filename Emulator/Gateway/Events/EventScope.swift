internal import Bytes
internal import EmulatorBase
internal import JSON

/// The values that all events of one API or Function URL share.
struct EventScope: Sendable {
    let accountID: String
    let region: String
    let apiID: String
    let stage: String
    let stageVariables: JSONObject
    let host: String
    let options: GatewayOptions

    func domainName(_ request: ServerRequest) -> String {
        switch options.domainName {
        case .amazon: host
        case .asRequested: request.header("host")?.halves(at: ":").first ?? host
        }
    }

    /// The path as it appears in the request context.
    func staged(_ path: String) -> String {
        stage == API.defaultStage ? path : "/\(stage)\(path)"
    }

    /// The ARN in policies: `arn:aws:execute-api:…:id/stage/GET/me`.
    func routeARN(method: String, path: String) -> String {
        "arn:aws:execute-api:\(region):\(accountID):\(apiID)/\(stage)/\(method)"
            + (path.has(prefix: "/") ? path : "/\(path)")
    }
}

internal import Bytes
internal import EmulatorBase
internal import EmulatorTemplate
internal import HTTP
internal import JSON

/// The values of an authorizer's identity sources in a request.
enum IdentityValues {
    /// nil if one is missing or empty.
    static func read(
        _ sources: [IdentitySource], _ arrival: IncomingRequest, _ match: Router.Match,
        _ scope: EventScope
    ) -> [String]? {
        var values: [String] = []
        for source in sources {
            guard let value = value(of: source, arrival, match, scope), !value.isEmpty else {
                return nil
            }
            values.append(value)
        }
        return values
    }

    static func value(
        of source: IdentitySource, _ arrival: IncomingRequest, _ match: Router.Match,
        _ scope: EventScope
    ) -> String? {
        switch source {
        case .header(let name):
            let values = arrival.request.headers.filter { $0.name.equalsIgnoringCase(name) }
            return values.isEmpty ? nil : values.map(\.value).joined(separator: ",")
        case .query(let name):
            let group = QueryParameters(parsing: arrival.query).grouped
                .first { TextKey($0.name) == TextKey(name) }
            return group.map { $0.values.joined(separator: ",") }
        case .stageVariable(let name): return scope.stageVariables[name]?.stringValue
        case .context(let name): return context(name, arrival, match, scope)
        }
    }

    private static func context(
        _ name: String, _ arrival: IncomingRequest, _ match: Router.Match, _ scope: EventScope
    ) -> String? {
        switch name {
        case "routeKey": match.route.key
        case "resourcePath": match.route.pattern?.text
        case "httpMethod", "http.method": arrival.request.method
        case "path", "http.path": scope.staged(arrival.path)
        case "protocol", "http.protocol": arrival.request.protocolVersion
        case "stage": scope.stage
        case "apiId": scope.apiID
        case "accountId": scope.accountID
        case "requestId": arrival.requestID
        case "domainName": scope.domainName(arrival.request)
        case "identity.sourceIp", "http.sourceIp": arrival.request.peer.hostText
        case "identity.userAgent", "http.userAgent": arrival.request.header("user-agent")
        default: nil
        }
    }
}

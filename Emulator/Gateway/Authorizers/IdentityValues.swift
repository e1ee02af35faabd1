internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import JSON

/// The values of an authorizer's identity sources in a request.
enum IdentityValues {
    /// nil if one is missing or empty.
    static func read(
        _ sources: [IdentitySource], _ incoming: IncomingRequest, _ match: Router.Match,
        _ scope: EventScope
    ) -> [String]? {
        var values: [String] = []
        for source in sources {
            guard let value = value(of: source, incoming, match, scope), !value.isEmpty else {
                return nil
            }
            values.append(value)
        }
        return values
    }

    static func value(
        of source: IdentitySource, _ incoming: IncomingRequest, _ match: Router.Match,
        _ scope: EventScope
    ) -> String? {
        switch source {
        case .header(let name):
            let values = incoming.request.headers.filter { $0.name.equalsIgnoringCase(name) }
            return values.isEmpty ? nil : values.map(\.value).joined(separator: ",")
        case .query(let name):
            let group = QueryParameters(parsing: incoming.query).grouped
                .first { TextKey($0.name) == TextKey(name) }
            return group.map { $0.values.joined(separator: ",") }
        case .stageVariable(let name): return scope.stageVariables[name]?.stringValue
        case .context(let name): return context(name, incoming, match, scope)
        }
    }

    private static func context(
        _ name: String, _ incoming: IncomingRequest, _ match: Router.Match, _ scope: EventScope
    ) -> String? {
        switch name {
        case "routeKey": match.route.key
        case "resourcePath": match.route.pattern?.text
        case "httpMethod", "http.method": incoming.request.method
        case "path", "http.path": scope.staged(incoming.path)
        case "protocol", "http.protocol": incoming.request.protocolVersion
        case "stage": scope.stage
        case "apiId": scope.apiID
        case "accountId": scope.accountID
        case "requestId": incoming.requestID
        case "domainName": scope.domainName(incoming.request)
        case "identity.sourceIp", "http.sourceIp": incoming.request.peer.hostText
        case "identity.userAgent", "http.userAgent": incoming.request.header("user-agent")
        default: nil
        }
    }
}

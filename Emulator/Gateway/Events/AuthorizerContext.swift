internal import JSON

/// The authorizer's result, as it appears in the function's event.
enum AuthorizerContext: Sendable {
    case none
    /// `scopes` is nil for a route that requires none.
    case jwt(claims: JSONObject, scopes: [String]?)
    case lambda(principal: String?, context: JSONObject, milliseconds: Int64)
    case iam(IAMCaller)

    /// `requestContext.authorizer` of payload 2.0; nil omits the key.
    var v2: JSON? {
        switch self {
        case .none: nil
        case .jwt(let claims, let scopes): ["jwt": Self.jwt(claims, scopes)]
        case .lambda(_, let context, _):
            context.isEmpty ? nil : ["lambda": .object(context)]
        case .iam(let caller):
            [
                "iam": [
                    "accessKey": .string(caller.accessKey), "accountId": .string(caller.accountID),
                    "callerId": .string(caller.callerID), "cognitoIdentity": .null,
                    "principalOrgId": .null, "userArn": .string(caller.userARN),
                    "userId": .string(caller.userID),
                ]
            ]
        }
    }

    /// `requestContext.authorizer` of payload 1.0; nil omits the key.
    func v1(stringifies: Bool) -> JSON? {
        switch self {
        case .none, .iam: return nil
        case .jwt(let claims, let scopes): return Self.jwt(claims, scopes)
        case .lambda(let principal, let context, let milliseconds):
            var authorizer = JSONObject()
            if let principal { authorizer["principalId"] = .string(principal) }
            for (name, value) in context.members {
                authorizer[name] =
                    stringifies ? value.scalarText.map { .string($0) } ?? value : value
            }
            authorizer["integrationLatency"] = .number(milliseconds)
            return .object(authorizer)
        }
    }

    private static func jwt(_ claims: JSONObject, _ scopes: [String]?) -> JSON {
        [
            "claims": .object(claims),
            "scopes": scopes.map { .array($0.map { .string($0) }) } ?? .null,
        ]
    }
}

internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import JSON

// The UserPoolClientType of Amazon Cognito, the answer of DescribeUserPoolClient.
extension ForeignClient {
    /// The flows in which the app itself asks for the password and calls the API of AWS.
    private static let flowsOfAPI = [
        "ADMIN_NO_SRP_AUTH", "ALLOW_ADMIN_USER_PASSWORD_AUTH", "ALLOW_CUSTOM_AUTH",
        "ALLOW_USER_AUTH", "ALLOW_USER_PASSWORD_AUTH", "ALLOW_USER_SRP_AUTH",
        "CUSTOM_AUTH_FLOW_ONLY", "USER_PASSWORD_AUTH",
    ]

    init(cognito object: JSON, _ choices: Choices) {
        self.init(object["ClientId"]?.stringValue ?? "")
        func list(_ name: String) -> [String] {
            (object[name]?.arrayValue ?? []).compactMap(\.stringValue)
        }
        name(object["ClientName"]?.stringValue)
        // The pages of Cognito ask nobody for consent.
        firstParty(true)
        let flows =
            (object["AllowedOAuthFlowsUserPoolClient"]?.boolValue ?? false)
            ? list("AllowedOAuthFlows") : []
        grant(.authorizationCode, flows.contains("code"))
        grant(.refreshToken, flows.contains("code"))
        grant(.clientCredentials, flows.contains("client_credentials"))
        if flows.contains("implicit") { lose("the implicit grant") }
        if list("ExplicitAuthFlows").contains(where: Self.flowsOfAPI.contains) {
            lose("sign-in by the API of Cognito")
        }
        if flows.contains("code") {
            redirects(list("CallbackURLs"))
            logoutRedirects(list("LogoutURLs"))
        }
        let words = list("AllowedOAuthScopes")
        for word in words where !choices.scope.contains(word) { lose("the scope \(word)") }
        let refreshes = flows.contains("code") ? [StandardScope.offlineAccess.rawValue] : []
        scope(words.filter(choices.scope.contains) + refreshes)
        if let secret = object["ClientSecret"]?.stringValue {
            proves(by: choices.method, secret)
        } else {
            isPublic(nil)
        }
    }
}

internal import AuthOperations
internal import Bytes
internal import JSON

// A client of Auth0, in the form of its Management API and its Deploy CLI.
extension ForeignClient {
    private static let grants: [String: Client.GrantType] = [
        "authorization_code": .authorizationCode, "refresh_token": .refreshToken,
        "client_credentials": .clientCredentials,
        Client.GrantType.deviceCode.rawValue: .deviceCode,
    ]

    init(auth0 object: JSON, _ choices: Choices) {
        self.init(object["client_id"]?.stringValue ?? "")
        func list(_ name: String, in object: JSON?) -> [String] {
            (object?[name]?.arrayValue ?? []).compactMap(\.stringValue)
        }
        guard !id.isEmpty else {
            let own = object["name"]?.stringValue ?? "a client"
            refuse("\(own) has no client_id: export it with --export_ids")
            return
        }
        isBuiltIn = object["global"]?.boolValue ?? false
        name(object["name"]?.stringValue)
        firstParty(object["is_first_party"]?.boolValue ?? false)
        let names =
            object["grant_types"] == nil
            ? ["authorization_code", "refresh_token"] : list("grant_types", in: object)
        for name in names {
            if let type = Self.grants[name] {
                grant(type)
            } else {
                lose("the grant \(name)")
            }
        }
        if names.contains("authorization_code") { redirects(list("callbacks", in: object)) }
        logoutRedirects(list("allowed_logout_urls", in: object))
        logoutNotices(
            list(
                "backchannel_logout_urls",
                in: object["oidc_logout"] ?? object["oidc_backchannel_logout"]))
        takeProof(object, choices)
        idTokenAlgorithm(object["jwt_configuration"]?["alg"]?.stringValue)
        promise(
            "dpop_bound_access_tokens", object["require_proof_of_possession"]?.boolValue ?? false)
        promise(
            "require_pushed_authorization_requests",
            object["require_pushed_authorization_requests"]?.boolValue ?? false)
        if object["organization_usage"]?.stringValue == "require" { lose("organizations") }
    }

    private mutating func takeProof(_ object: JSON, _ choices: Choices) {
        let secret = object["client_secret"]?.stringValue
        if let methods = object["client_authentication_methods"]?.objectValue {
            guard methods["private_key_jwt"] != nil else {
                return refuse("it authenticates with \(methods.members.first?.name ?? "nothing")")
            }
            return proves(byKeysAt: nil, nil)
        }
        let isOfUsers = ["spa", "native"].contains(object["app_type"]?.stringValue)
        let standard: Client.Authentication = isOfUsers ? .none : .post
        let method =
            object["token_endpoint_auth_method"]?.stringValue
            .map(Client.Authentication.init(rawValue:)) ?? standard
        switch method {
        case Client.Authentication.none?: isPublic(secret)
        case .basic?: proves(by: .basic, secret)
        case .post?: proves(by: .post, secret)
        case .key?, nil: refuse("it does not authenticate with a secret")
        }
    }
}

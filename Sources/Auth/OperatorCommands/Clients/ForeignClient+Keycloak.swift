internal import AuthOperations
internal import Bytes
internal import JSON

// The ClientRepresentation of Keycloak, in the form of the member `clients` of a realm export.
extension ForeignClient {
    private static let ofKeycloak = [
        "account", "account-console", "admin-cli", "broker", "realm-management",
        "security-admin-console",
    ]

    init(keycloak object: JSON, _ choices: Choices) {
        self.init(object["clientId"]?.stringValue ?? "")
        func flag(_ name: String) -> Bool { object[name]?.boolValue ?? false }
        let attributes = object["attributes"]
        func attribute(_ name: String) -> String? {
            attributes?[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        }
        func isOn(_ name: String) -> Bool { attribute(name) == "true" }

        isBuiltIn = Self.ofKeycloak.contains { $0.isSame(as: id) }
        let kind = object["protocol"]?.stringValue ?? "openid-connect"
        guard kind == "openid-connect" else {
            refuse("it uses the protocol \(kind)")
            return
        }
        guard !flag("bearerOnly") else {
            refuse("it only receives tokens: describe it in OAUTH_RESOURCES")
            return
        }
        isDisabled = !(object["enabled"]?.boolValue ?? true)
        name(object["name"]?.stringValue)
        firstParty(!flag("consentRequired"))
        let root = object["rootUrl"]?.stringValue ?? ""
        let addresses = (object["redirectUris"]?.arrayValue ?? []).compactMap(\.stringValue)
            .map { $0.hasPrefix("/") ? root + $0 : $0 }
        takeGrants(flag, isOn)
        // Without the code grant, redirect URIs have no purpose.
        if flag("standardFlowEnabled") { redirects(addresses) }
        takeLogout(addresses, root, attribute)
        takeProof(object, choices, attribute, isOn)
        idTokenAlgorithm(attribute("id.token.signed.response.alg"))
        promise("dpop_bound_access_tokens", isOn("dpop.bound.access.tokens"))
        promise(
            "require_pushed_authorization_requests", isOn("require.pushed.authorization.requests"))
        if !(object["protocolMappers"]?.arrayValue ?? []).isEmpty { lose("protocol mappers") }
        if flag("authorizationServicesEnabled") { lose("authorization services") }
    }

    private mutating func takeGrants(_ flag: (String) -> Bool, _ isOn: (String) -> Bool) {
        let isOfDevices = isOn("oauth2.device.authorization.grant.enabled")
        let isOfUsers = flag("standardFlowEnabled") || isOfDevices
        grant(.authorizationCode, flag("standardFlowEnabled"))
        grant(.deviceCode, isOfDevices)
        grant(.refreshToken, isOfUsers)
        grant(.clientCredentials, flag("serviceAccountsEnabled"))
        if flag("implicitFlowEnabled") { lose("the implicit grant") }
        if flag("directAccessGrantsEnabled") { lose("the password grant") }
        if isOn("oidc.ciba.grant.enabled") { lose("CIBA") }
        if isOn("standard.token.exchange.enabled") { lose("token exchange") }
    }

    private mutating func takeLogout(
        _ redirects: [String], _ root: String, _ attribute: (String) -> String?
    ) {
        let addresses = (attribute("post.logout.redirect.uris") ?? "-")
            .split(separator: Character("#")).map(String.init)
        // "+" stands for the redirect URIs, "-" for none.
        let own = addresses.filter { !["+", "-"].contains($0) }
            .map { $0.hasPrefix("/") ? root + $0 : $0 }
        logoutRedirects((addresses.contains("+") ? redirects : []) + own)
        logoutNotices([attribute("backchannel.logout.url")].compactMap(\.self))
        if attribute("frontchannel.logout.url") != nil { lose("front-channel logout") }
    }

    private mutating func takeProof(
        _ object: JSON, _ choices: Choices, _ attribute: (String) -> String?,
        _ isOn: (String) -> Bool
    ) {
        let secret = object["secret"]?.stringValue
        if object["publicClient"]?.boolValue ?? false { return isPublic(secret) }
        switch object["clientAuthenticatorType"]?.stringValue ?? "client-secret" {
        case "client-secret": proves(by: choices.method, secret)
        case "client-jwt":
            let keys = (isOn("use.jwks.string") ? attribute("jwks.string") : nil)
                .flatMap { try? JSON.parse(Array($0.utf8), limits: .keySet) }
            proves(byKeysAt: isOn("use.jwks.url") ? attribute("jwks.url") : nil, keys)
        case let other: refuse("it authenticates with \(other)")
        }
    }
}

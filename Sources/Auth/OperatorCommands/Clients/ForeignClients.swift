internal import JSON

/// The clients in a file of another provider.
struct ForeignClients {
    enum Provider: String, CaseIterable {
        case keycloak = "Keycloak"
        case cognito = "Amazon Cognito"
        case auth0 = "Auth0"
    }

    let provider: Provider
    let clients: [ForeignClient]

    /// nil if the file is of no known provider.
    init?(_ json: JSON, _ choices: ForeignClient.Choices) {
        let items = Self.items(json)
        guard let first = items.first, let provider = Self.provider(of: first),
            items.allSatisfy({ Self.provider(of: $0) == provider })
        else { return nil }
        self.provider = provider
        clients = items.map { item in
            switch provider {
            case .keycloak: ForeignClient(keycloak: item, choices)
            case .cognito: ForeignClient(cognito: item["UserPoolClient"] ?? item, choices)
            case .auth0: ForeignClient(auth0: item, choices)
            }
        }
    }

    /// One client, a list of clients, or an object with such a list: a realm or a tenant.
    private static func items(_ json: JSON) -> [JSON] {
        json.arrayValue ?? json["clients"]?.arrayValue ?? [json]
    }

    private static func provider(of client: JSON) -> Provider? {
        if client["clientId"]?.stringValue != nil { return .keycloak }
        if (client["UserPoolClient"] ?? client)["ClientId"]?.stringValue != nil { return .cognito }
        return client["client_id"] != nil || client["app_type"] != nil ? .auth0 : nil
    }
}

internal import AuthDomain
internal import Bytes

// The grant types and scopes of a client.
extension ClientMetadata {
    /// The grant types of a client that the operator or an administrator describes.
    func grantTypes() throws(Problem) -> [Client.GrantType] {
        let member = "grant_types"
        let names = try list(member) ?? [Client.GrantType.authorizationCode.rawValue]
        if let types = try list("response_types"), !types.allSatisfy({ $0 == "code" }) {
            throw Problem(member: "response_types", rule: "must be [\"code\"]")
        }
        return try names.map { name throws(Problem) in
            guard let type = Client.GrantType(rawValue: name) else {
                let all = Client.GrantType.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(member: member, rule: "must be among \(all)")
            }
            return type
        }
    }

    /// Throws if a client without a secret or key uses a grant type that asks no person for
    /// consent, or if a client does not name the servers for which it may exchange tokens.
    func check(
        _ types: [Client.GrantType], of method: Client.Authentication
    ) throws(Problem) {
        if let type = types.first(where: \.needsTrust), method == .none {
            throw Problem(
                member: "grant_types", rule: "\(type.rawValue) needs a client with a secret or key")
        }
        if types.contains(.tokenExchange), try list("allowed_resources") ?? [] == [] {
            throw Problem(
                member: "allowed_resources",
                rule: "must name the servers for which it may exchange tokens")
        }
    }

    /// The supported grant types among those that a client has named in its own description.
    func supportedGrantTypes() throws(Problem) -> [Client.GrantType] {
        let names = try list("grant_types") ?? [Client.GrantType.authorizationCode.rawValue]
        let types = names.compactMap(Client.GrantType.init(rawValue:)).filter { !$0.needsTrust }
        guard types.contains(.authorizationCode) || types.contains(.deviceCode) else {
            throw Problem(
                member: "grant_types",
                rule: "must have authorization_code or \(Client.GrantType.deviceCode.rawValue)")
        }
        return types
    }
}

extension ClientMetadata.Problem {
    /// nil if the resources, or OpenID Connect, define all scopes of the client.
    package init?(unknownScopeOf client: Client, definedBy resources: [ProtectedResource]) {
        let known =
            StandardScope.allCases.map(\.rawValue) + resources.flatMap(\.scopes).map(\.word)
        guard let unknown = client.scope?.first(where: { !known.contains($0) }) else { return nil }
        self.init(
            member: "scope", rule: NearestName.refusal(unknown, among: known),
            unknownScope: UnknownScope(scope: unknown, known: known))
    }
}

internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import JSON

/// The settings of an authorizer for API Gateway.
struct AuthorizerSettings {
    private var mode = Authorize.Mode.required
    private var form: GatewayAuthorizer.ResponseForm?
    /// nil: users' own sessions are authorized, not clients of the provider.
    private var requirement: AuthorizeGrant.Requirement?

    private static let resourceName = "AUTHORIZER_RESOURCE"
    private static let scopesName = "AUTHORIZER_SCOPES"

    /// An authorizer for clients needs to know the issuer and the audience, and the resources.
    static func needs(_ reader: SettingsReader) -> ServiceNeeds {
        reader.text(resourceName) == nil ? [] : [.oauth]
    }

    mutating func read(_ reader: inout SettingsReader) {
        mode = reader.choice("AUTHORIZER_MODE", Authorize.Mode.self) ?? .required
        form = reader.choice("AUTHORIZER_RESPONSE", GatewayAuthorizer.ResponseForm.self)
        let scopes = Self.scopes(reader)
        guard let resource = reader.text(Self.resourceName) else {
            if !scopes.isEmpty {
                reader.refuse("\(Self.scopesName) needs \(Self.resourceName)")
            }
            return
        }
        let contract = reader.text("CONTRACT").map { Contract.named($0) } ?? .latchkey
        if !OAuthSettings.areOn(reader) || contract?.policy.oauth == nil {
            reader.refuse(
                "\(Self.resourceName) needs OAUTH=on, which the contract latchkey has")
        }
        if mode == .admin {
            reader.refuse(
                "\(Self.resourceName): AUTHORIZER_MODE must be required or optional, because a "
                    + "client is not an administrator")
        }
        requirement = AuthorizeGrant.Requirement(resource: resource, scopes: scopes)
    }

    private static func scopes(_ reader: SettingsReader) -> [String] {
        (reader.text(scopesName) ?? "").split(separator: " ").map(String.init)
    }

    /// A misspelt resource or scope would refuse every request.
    static func check(_ resources: [ProtectedResource], _ reader: inout SettingsReader) {
        guard let uri = reader.text(resourceName) else { return }
        guard let resource = resources.first(where: { $0.uri.isSame(as: uri) }) else {
            return reader.refuse("\(resourceName) must be one of OAUTH_RESOURCES")
        }
        for word in scopes(reader) where !resource.has(word) {
            let known = resource.scopes.map(\.word)
            reader.refuse(
                "\(scopesName): \(word) is not a scope of \(uri)"
                    + NearestName.hint(word, among: known))
        }
    }

    func authorizer(
        _ auth: AuthServices, _ log: Log
    ) -> @Sendable (JSON, InvocationContext) throws(FunctionError) -> JSON {
        let authorizer = GatewayAuthorizer(
            auth, mode: mode, form: form, requirement: requirement)
        return { event, context throws(FunctionError) in
            let log = log.with(requestID: context.requestID)
            return try authorizer.answer(event) { log.report($0) }
        }
    }
}

internal import AuthOperations
internal import Contracts
internal import FunctionRuntime
internal import JSON

/// The settings of an authorizer for API Gateway.
struct AuthorizerSettings {
    private var mode = Authorize.Mode.required
    private var form: GatewayAuthorizer.ResponseForm?

    mutating func read(_ reader: inout SettingsReader) {
        mode = reader.choice("AUTHORIZER_MODE", Authorize.Mode.self) ?? .required
        form = reader.choice("AUTHORIZER_RESPONSE", GatewayAuthorizer.ResponseForm.self)
    }

    func authorizer(
        _ auth: AuthServices, _ log: Log
    ) -> @Sendable (JSON, InvocationContext) throws(FunctionError) -> JSON {
        let authorizer = GatewayAuthorizer(auth, mode: mode, form: form)
        return { event, context throws(FunctionError) in
            let log = log.with(requestID: context.requestID)
            return try authorizer.answer(event) { log.report($0) }
        }
    }
}

internal import AuthDomain
internal import AuthOperations
internal import JSON

extension Endpoint {
    /// Invoked directly: `{"user": "<id or e-mail address>"}`, with `"after"` for further pages.
    /// The response is that of `latchkey` in every contract.
    static let exportUser = Endpoint(
        .exportUser, nil, selectedBy: DirectSelector("user")
    ) { call, auth in
        let export = try auth.exportUser(
            try call.body.required("user"), after: try call.body.optional("after"))
        return Answer(LatchkeyBodies.export(export))
    }
}

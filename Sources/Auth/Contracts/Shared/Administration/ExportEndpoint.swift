internal import AuthDomain
package import AuthOperations
internal import JSON

extension Endpoint {
    /// Invoked directly: `{"user": "<id or e-mail address>"}`, with `"after"` for further pages.
    /// The response has the format of the contract `latchkey` in every contract.
    static let exportUser = Endpoint(
        .exportUser, nil, selectedBy: DirectSelector("user")
    ) { call, auth in
        let export = try auth.exportUser(
            try call.body.required("user"), after: try call.body.optional("after"))
        return Answer(LatchkeyBodies.export(export))
    }
}

extension Answer {
    /// The export of an account, as a file.
    package static func download(_ export: AccountExport) -> Answer {
        Answer(
            200, LatchkeyBodies.export(export),
            headers: [("content-disposition", "attachment; filename=\"account.json\"")])
    }
}

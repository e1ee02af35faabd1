internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

extension Endpoint {
    /// Invoked directly: `{"users": [{"email": …, "passwordHash": …}, …]}`.
    static let importUsers = Endpoint(.importUsers, nil) { call, auth in
        let users = try call.body.objects("users", max: ImportUsers.usersMax)
        let output = try auth.importUsers(try users.map(importedUser))
        var body: JSONObject = ["users": .array(output.outcomes.map(importOutcome))]
        body["warning"] = output.warning.map { .string($0) }
        return Answer(.object(body))
    }
}

private func importedUser(_ fields: Fields) throws(RequestError) -> ImportUsers.Entry {
    ImportUsers.Entry(
        email: try fields.required("email"), passwordHash: try fields.required("passwordHash"),
        isEmailVerified: try fields.flag("emailVerified") ?? false,
        displayName: try fields.text("displayName"),
        createdAt: try fields.integer("createdAt").map { Instant(seconds: $0) })
}

private func importOutcome(_ outcome: ImportUsers.Outcome) -> JSON {
    switch outcome {
    case .imported(let id): ["status": "imported", "id": .string(id.text)]
    case .exists: ["status": "exists"]
    case .refused(let defect): ["status": "refused", "reason": .string(defect.rawValue)]
    }
}

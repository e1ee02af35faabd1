import AuthDomain
import JSON

/// Whether a session policy sent to STS gives access outside of the user's prefix.
enum PolicyCheck {
    static func problems(in form: JSONObject) -> [String] {
        guard let user = form["RoleSessionName"]?.stringValue, UserID(parsing: user) != nil else {
            return ["sts: RoleSessionName is no user"]
        }
        guard let statements = form["Policy"]?["Statement"]?.arrayValue,
            !statements.isEmpty
        else { return ["sts: there is no policy"] }
        return statements.flatMap { problems(in: $0, user) }
    }

    private static func problems(in statement: JSON, _ user: String) -> [String] {
        let own = "users/\(user)/"
        let resource = statement["Resource"]?.stringValue ?? ""
        let condition = statement["Condition"]?["StringLike"]?["s3:prefix"]?.stringValue
        // The session that erases a deleted account lists uploads, of names only and of the whole
        // bucket: S3 has no condition for that action.
        if resource == "arn:aws:s3:::photos",
            statement["Action"] == ["s3:ListBucketMultipartUploads"]
        {
            return []
        }
        let reach: String
        if resource == "arn:aws:s3:::photos", statement["Action"] == "s3:ListBucket" {
            reach = condition ?? ""
        } else if resource.hasPrefix("arn:aws:s3:::photos/") {
            reach = String(resource.dropFirst("arn:aws:s3:::photos/".count))
        } else {
            return ["sts: a statement is about \(resource)"]
        }
        let plain = reach.dropLast()
        let isOwn = reach.hasPrefix(own) && reach.last == "*" && plain.last == "/"
        let isLiteral = !plain.contains { "*?$".contains($0) } && !plain.contains("/../")
        return isOwn && isLiteral ? [] : ["sts: a statement reaches \(reach)"]
    }
}

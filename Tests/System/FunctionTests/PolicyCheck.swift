import AuthTestSupport

/// Whether a session policy sent to STS gives access outside of the user's prefix.
enum PolicyCheck {
    static func problems(in form: JSONObject) -> [String] {
        guard let user = form["RoleSessionName"]?.stringValue, UserID(parsing: user) != nil else {
            return ["sts: RoleSessionName is no user"]
        }
        guard let statements = form["Policy"]?["Statement"]?.arrayValue,
            !statements.isEmpty
        else { return ["sts: there is no policy"] }
        let source = source(form)
        if let source, UserID(parsing: source) == nil || source == user {
            return ["sts: the tag source is no other user"]
        }
        return statements.flatMap { problems(in: $0, user, source: source) }
    }

    /// The user whose objects a merge copies: the session tag by which the role allows it.
    private static func source(_ form: JSONObject) -> String? {
        (1...5).first { form["Tags.member.\($0).Key"]?.stringValue == "source" }
            .flatMap { form["Tags.member.\($0).Value"]?.stringValue }
    }

    private static func problems(in statement: JSON, _ user: String, source: String?) -> [String] {
        var own = ["users/\(user)/"]
        // A merge reads the objects of the account that has ended, and changes nothing there.
        if let source, ["s3:GetObject", "s3:ListBucket"].contains(statement["Action"] ?? .null) {
            own.append("users/\(source)/")
        }
        let resource = statement["Resource"]?.stringValue ?? ""
        // The session that erases a deleted account lists uploads, of names only and of the whole
        // bucket: S3 has no condition for that action.
        if resource == "arn:aws:s3:::photos",
            statement["Action"] == ["s3:ListBucketMultipartUploads"]
        {
            return []
        }
        let reaches: [String]
        if resource == "arn:aws:s3:::photos", statement["Action"] == "s3:ListBucket" {
            let condition = statement["Condition"]?["StringLike"]?["s3:prefix"]
            reaches =
                condition?.arrayValue?.map { $0.stringValue ?? "" } ?? [
                    condition?.stringValue ?? ""
                ]
        } else if resource.hasPrefix("arn:aws:s3:::photos/") {
            reaches = [String(resource.dropFirst("arn:aws:s3:::photos/".count))]
        } else {
            return ["sts: a statement is about \(resource)"]
        }
        return reaches.isEmpty
            ? ["sts: a statement reaches everything"]
            : reaches.filter { !isLiteral($0, below: own) }.map {
                "sts: a statement reaches \($0)"
            }
    }

    /// Everything below one of the prefixes, and nothing else that a wildcard could mean.
    private static func isLiteral(_ reach: String, below prefixes: [String]) -> Bool {
        let plain = reach.dropLast()
        return prefixes.contains { reach.hasPrefix($0) } && reach.last == "*" && plain.last == "/"
            && !plain.contains { "*?$".contains($0) } && !plain.contains("/../")
    }
}

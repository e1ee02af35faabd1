internal import JSON

/// How STS answers in one fixture, and what it must have been asked.
struct STSScript: Sendable {
    enum Answer: String {
        case granted
        case accessDenied = "AccessDenied"
        case packedPolicyTooLarge = "PackedPolicyTooLarge"
        case expiredToken = "ExpiredToken"
        case invalidIdentityToken = "InvalidIdentityToken"
        case broken, html, silent
    }

    let answer: Answer
    /// The form that was posted, `Policy` as a tree; nil when nobody says.
    let asked: JSON?

    init(_ json: JSON) throws(FixtureFailure) {
        let reader = try MemberReader(json, at: "sts", only: ["answer", "asked"])
        let name = try MemberReader.text(reader["answer"], "sts.answer")
        guard let answer = Answer(rawValue: name) else {
            throw FixtureFailure("sts.answer is nothing that STS says")
        }
        self.answer = answer
        asked = reader["asked"]
    }
}

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
    /// The expected request form, `Policy` as a tree; nil when it is not checked.
    let asked: JSON?

    init(_ json: JSON) throws(FixtureFailure) {
        let reader = try MemberReader(json, at: "sts", only: ["answer", "asked"])
        let name = try MemberReader.text(reader["answer"], "sts.answer")
        guard let answer = Answer(rawValue: name) else {
            throw FixtureFailure("sts.answer: unknown response \(name)")
        }
        self.answer = answer
        asked = reader["asked"]
    }
}

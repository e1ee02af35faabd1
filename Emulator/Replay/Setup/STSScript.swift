internal import Bytes
internal import EmulatorAWS
internal import JSON

/// The response of STS in one fixture, and the expected request.
struct STSScript: Sendable {
    enum Answer {
        /// The response of the emulator's STS.
        case granted
        case fault(STSFault)
        case html, silent

        /// The response without a script.
        static let unexpected = Answer.fault(.accessDenied)
    }

    /// The function that publishes the keys of an issuer's tokens.
    struct Issuer {
        let name: String
        let function: String
        /// An event in its short form.
        let request: JSON
    }

    let answer: Answer
    let issuer: Issuer?
    /// The expected request form, `Policy` as a tree; nil if it is not checked.
    let asked: JSON?

    init(_ json: JSON) throws(FixtureFailure) {
        let reader = try MemberReader(json, at: "sts", only: ["answer", "issuer", "asked"])
        let name = try MemberReader.text(reader["answer"], "sts.answer")
        guard let answer = Self.answers.first(where: { $0.name.isSame(as: name) })?.answer else {
            let names = Self.answers.map(\.name).joined(separator: ", ")
            throw FixtureFailure("sts.answer: \(name) is unknown: expected one of \(names)")
        }
        self.answer = answer
        issuer = try reader["issuer"].map { json throws(FixtureFailure) in try Issuer(json) }
        asked = reader["asked"]
    }

    private static let answers: [(name: String, answer: Answer)] = [
        ("granted", .granted), ("AccessDenied", .fault(.accessDenied)),
        ("PackedPolicyTooLarge", .fault(.packedPolicyTooLarge)),
        ("ExpiredToken", .fault(.expiredToken)),
        ("InvalidIdentityToken", .fault(.invalidIdentityToken)),
        ("broken", .fault(.internalFailure)), ("html", .html), ("silent", .silent),
    ]
}

extension STSScript.Issuer {
    /// `{"name": "https://auth.example.com", "function": "keys", "request": "GET /jwks.json"}`
    init(_ json: JSON) throws(FixtureFailure) {
        let place = "sts.issuer"
        let reader = try MemberReader(json, at: place, only: ["name", "function", "request"])
        name = try MemberReader.text(reader["name"], "\(place).name")
        function = try MemberReader.text(reader["function"], "\(place).function")
        let line = try MemberReader.text(reader["request"], "\(place).request")
        request = ["request": .string(line)]
    }
}

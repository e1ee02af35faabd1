internal import Bytes
internal import Cryptography
internal import EmulatorBase
internal import JSON
internal import Time

/// `POST {issuer}/mint`: issues an ID token to a script, optionally with faults.
struct MintRequest {
    private static let members = [
        "email", "name", "sub", "audience", "nonce", "expiresIn", "skewSeconds", "hideEmail",
        "claims", "fault", "withCode",
    ]
    private static let week: Int64 = 7 * 86_400
    private static let audiencesMax = 8
    private static let faultsMax = 8

    var email: String?
    var name: String?
    var subject: String?
    var audiences: [String]
    var nonce: String?
    var lifetime: Span?
    /// How far the provider's clock is ahead.
    var skew: Span
    var hidesEmail: Bool
    var overrides: JSONObject
    var faults: [TokenFault] = []
    /// Whether to issue an authorization code too, as Apple does.
    var withCode: Bool

    init(_ json: JSON) throws(DefinitionFailure) {
        let reader = try DefinitionReader(json, "mint", members: Self.members)
        email = try reader.text("email")
        name = try reader.text("name")
        subject = try reader.text("sub")
        audiences = try reader.texts("audience", max: Self.audiencesMax)
        nonce = try reader.text("nonce")
        lifetime = try reader.number("expiresIn", in: -Self.week...Self.week).map(Span.seconds)
        skew = .seconds(try reader.number("skewSeconds", in: -Self.week...Self.week) ?? 0)
        hidesEmail = try reader.flag("hideEmail") ?? false
        overrides = try reader.members("claims") ?? [:]
        withCode = try reader.flag("withCode") ?? false
        for name in try reader.texts("fault", max: Self.faultsMax) {
            guard let fault = TokenFault(name: name) else {
                let legal = TokenFault.allCases.map(\.rawValue).joined(separator: ", ")
                throw DefinitionFailure(
                    "mint: unknown fault. Token faults: \(legal)")
            }
            faults.append(fault)
        }
        guard email.map(OpenIDAccount.isEmail) ?? true else {
            throw DefinitionFailure("mint: email is not a valid e-mail address")
        }
        guard name.map(OpenIDAccount.isName) ?? true else {
            throw DefinitionFailure(
                "mint: name must be at most \(OpenIDAccount.nameBytesMax) bytes")
        }
        guard subject.map({ $0.utf8.count <= OpenIDAccount.subjectBytesMax }) ?? true else {
            throw DefinitionFailure(
                "mint: sub must be at most \(OpenIDAccount.subjectBytesMax) bytes")
        }
        guard audiences.allSatisfy(ClientDefinition.isID) else {
            throw DefinitionFailure("mint: audience must be a client id or a list of client ids")
        }
    }
}

extension Provider {
    static let usualEmail = "ada@example.com"

    func mint(_ exchange: OpenIDRequest) throws(OAuthError) -> OpenIDReply {
        let json = try exchange.json()
        let request = try OpenIDRequest.reading { () throws(DefinitionFailure) in
            try MintRequest(json)
        }
        var plan = try plan(request, at: exchange.now)
        var answer: JSONObject = [:]
        if request.withCode {
            let code = try issueCode(for: plan, at: exchange.now)
            plan.code = code
            answer["authorizationCode"] = .string(code)
        }
        var claims = plan.claims(definition, named: issuer)
        distinguish(&claims)
        for (name, value) in request.overrides.members {
            claims[name] = value.isNull ? nil : value
        }
        let signer = IDTokenSigner(
            keys: keys, unpublishedKeys: unpublishedKeys, faults: request.faults, now: plan.issuedAt
        )
        answer["idToken"] = .string(try signer.token(claims))
        return .now(.json(.object(answer)))
    }

    private func plan(_ request: MintRequest, at now: Instant) throws(OAuthError) -> IDTokenContent
    {
        let usual = try defaultClientID()
        let audience = request.audiences.first ?? usual
        guard var account = try account(request.email ?? Self.usualEmail) else {
            throw .own(400, "mint: email is not a valid e-mail address")
        }
        if let name = request.name, let named = OpenIDAccount(email: account.email, name: name) {
            (account.givenName, account.familyName) = (named.givenName, named.familyName)
        }
        if let subject = request.subject { account.ownSubject = subject }
        return IDTokenContent(
            account: account,
            audiences: request.audiences.isEmpty ? [audience] : request.audiences,
            teamID: try client(audience)?.teamID, issuedAt: now + request.skew,
            lifetime: request.lifetime, nonce: request.nonce, hidesEmail: request.hidesEmail)
    }

    /// RS256 is deterministic, so two tokens with the same claims in the same second would be
    /// equal, and an app that accepts each token only once would refuse the second.
    private func distinguish(_ claims: inout JSONObject) {
        let text = Base64URL.encode(ports.random.bytes(16))
        switch kind {
        // Apple always issues a code, and so includes its hash.
        case .apple: if claims["c_hash"] == nil { claims["c_hash"] = .string(text) }
        case .google, .oidc: claims["jti"] = .string(text)
        }
    }
}

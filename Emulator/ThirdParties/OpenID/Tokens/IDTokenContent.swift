internal import Bytes
internal import Cryptography
internal import JSON
internal import Time

/// The content of an ID token, before faults are applied.
struct IDTokenContent: Sendable {
    var account: OpenIDAccount
    /// The first is the client of the request.
    var audiences: [String]
    var teamID: String?
    var issuedAt: Instant
    var lifetime: Span?
    var nonce: String?
    /// Whether the user shares the e-mail address.
    var showsEmail = true
    var showsName = true
    /// Whether Apple's relay address replaces the address.
    var hidesEmail = false
    var accessToken: String?
    var code: String?

    func claims(_ issuer: IssuerDefinition, named name: String) -> JSONObject {
        var claims: JSONObject = ["iss": .string(name)]
        if issuer.kind == .google { claims["azp"] = audiences.first.map { .string($0) } }
        claims["aud"] =
            audiences.count == 1
            ? .string(audiences[0]) : .array(audiences.map { .string($0) })
        claims["sub"] = .string(account.subject(issuer, teamID: teamID))
        claims["iat"] = .number(issuedAt.seconds)
        claims["exp"] = .number((issuedAt + (lifetime ?? issuer.kind.lifetime)).seconds)
        if let nonce { claims["nonce"] = .string(nonce) }
        switch issuer.kind {
        case .apple: addAppleClaims(&claims, issuer)
        case .google: addPerson(&claims, isGoogle: true)
        case .oidc: addPerson(&claims, isGoogle: false)
        }
        if let code { claims["c_hash"] = .string(Self.halfHash(code)) }
        if let accessToken { claims["at_hash"] = .string(Self.halfHash(accessToken)) }
        return claims
    }

    /// Apple uses strings for booleans, as in most of its tokens.
    private func addAppleClaims(_ claims: inout JSONObject, _ issuer: IssuerDefinition) {
        claims["nonce_supported"] = true
        claims["auth_time"] = .number(issuedAt.seconds)
        guard showsEmail else { return }
        let isRelay = hidesEmail || account.email.utf8.hasSuffix("@" + OpenIDAccount.relayDomain)
        claims["email"] = .string(
            hidesEmail ? account.relayAddress(issuer, teamID: teamID) : account.email)
        claims["email_verified"] = account.isEmailVerified || isRelay ? "true" : "false"
        if isRelay { claims["is_private_email"] = "true" }
    }

    private func addPerson(_ claims: inout JSONObject, isGoogle: Bool) {
        if showsEmail {
            if isGoogle, let domain = account.hostedDomain { claims["hd"] = .string(domain) }
            claims["email"] = .string(account.email)
            claims["email_verified"] = .bool(account.isEmailVerified)
        }
        guard showsName else { return }
        claims["name"] = .string(account.name)
        if isGoogle { claims["picture"] = .string(Self.picture) }
        claims["given_name"] = .string(account.givenName)
        if !account.familyName.isEmpty { claims["family_name"] = .string(account.familyName) }
    }

    static let picture = "https://lh3.googleusercontent.com/a/default-user=s96-c"

    /// OpenID Connect Core 1.0 section 3.1.3.6: the left half of the hash.
    private static func halfHash(_ text: String) -> String {
        Base64URL.encode(SHA256.hash(utf8: text).prefix(16))
    }
}

extension IssuerDefinition.Kind {
    /// The lifetime of an ID token; Apple's are valid for a day.
    var lifetime: Span {
        switch self {
        case .apple: .hours(24)
        case .google, .oidc: .hours(1)
        }
    }
}

extension String.UTF8View {
    func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}

internal import Bytes
internal import JSON

/// An authorization request (RFC 6749 section 4.1.1, OpenID Connect Core 1.0 section 3.1.2.1).
struct AuthorizeRequest: Sendable {
    let target: RedirectTarget
    let clientID: String
    let wantsCode: Bool
    let wantsIDToken: Bool
    let scopes: [String]
    let nonce: String?
    /// RFC 7636; always S256.
    let codeChallenge: String?
    let prompts: [String]
    let loginHint: String?
    /// Google's `hd`: only accounts of this domain, or with `*` only accounts of an organisation.
    let hostedDomain: String?
    /// Google's `access_type=offline`.
    let isOffline: Bool

    static let nonceBytesMax = 512

    func has(scope: String) -> Bool { scopes.contains { $0.isSame(as: scope) } }
    func has(prompt: String) -> Bool { prompts.contains { $0.isSame(as: prompt) } }

    var showsEmail: Bool {
        has(scope: "email") || has(scope: "https://www.googleapis.com/auth/userinfo.email")
    }
    var showsName: Bool {
        has(scope: "profile") || has(scope: "name")
            || has(scope: "https://www.googleapis.com/auth/userinfo.profile")
    }

    func admits(_ account: OpenIDAccount) -> Bool {
        guard let hostedDomain else { return true }
        guard let own = account.hostedDomain else { return false }
        return hostedDomain.isSame(as: "*") || own.isSame(as: OpenIDAccount.identity(hostedDomain))
    }
}

/// RFC 6749 section 4.1.2.1.
struct AuthorizeFailure: Error, Sendable {
    let code: String
    let text: String

    init(_ code: String, _ text: String) {
        self.code = code
        self.text = text
    }

    static func missing(_ name: String) -> AuthorizeFailure {
        AuthorizeFailure("invalid_request", "Missing required parameter: \(name)")
    }
}

extension AuthorizeRequest {
    init(
        _ parameters: OAuthParameters, kind: IssuerDefinition.Kind, clientID: String,
        target: RedirectTarget
    ) throws(AuthorizeFailure) {
        if let name = parameters.repeated {
            throw AuthorizeFailure("invalid_request", "Duplicate parameter: \(name)")
        }
        self.clientID = clientID
        self.target = target
        let types = try Self.responseTypes(parameters["response_type"])
        (wantsCode, wantsIDToken) = (types.code, types.idToken)
        scopes = try Self.scopes(parameters["scope"], kind)
        nonce = parameters["nonce"]
        codeChallenge = try Self.codeChallenge(parameters)
        prompts = Self.words(parameters["prompt"])
        loginHint = parameters["login_hint"]
        hostedDomain = parameters["hd"]
        isOffline = parameters["access_type"]?.isSame(as: "offline") ?? false

        if let mode = parameters["response_mode"], RedirectTarget.Mode(name: mode) == nil {
            throw AuthorizeFailure(
                "invalid_request", "response_mode must be query, fragment or form_post.")
        }
        guard !wantsIDToken || target.mode != .query else {
            throw AuthorizeFailure(
                "invalid_request", "response_mode query is not allowed with id_token.")
        }
        switch kind {
        case .apple:
            guard scopes.isEmpty || target.mode == .formPost else {
                throw AuthorizeFailure(
                    "invalid_request",
                    "response_mode must be form_post when name or email scope is requested.")
            }
        case .google, .oidc:
            // OpenID Connect Core 1.0 section 3.2.2.1.
            guard !wantsIDToken || nonce != nil else { throw .missing("nonce") }
        }
        guard (nonce?.utf8.count ?? 0) <= Self.nonceBytesMax else {
            throw AuthorizeFailure(
                "invalid_request", "nonce is longer than \(Self.nonceBytesMax) bytes.")
        }
    }

    private static func responseTypes(
        _ text: String?
    ) throws(AuthorizeFailure) -> (code: Bool, idToken: Bool) {
        guard let text else { throw .missing("response_type") }
        let words = words(text)
        let hasCode = words.contains { $0.isSame(as: "code") }
        let hasIDToken = words.contains { $0.isSame(as: "id_token") }
        guard words.count == (hasCode ? 1 : 0) + (hasIDToken ? 1 : 0), !words.isEmpty else {
            throw AuthorizeFailure(
                "unsupported_response_type", "response_type must be code, id_token, or both.")
        }
        return (hasCode, hasIDToken)
    }

    private static func scopes(
        _ text: String?, _ kind: IssuerDefinition.Kind
    ) throws(AuthorizeFailure) -> [String] {
        let words = words(text)
        switch kind {
        case .apple:
            let known = words.allSatisfy { word in
                ["name", "email", "openid"].contains { $0.isSame(as: word) }
            }
            guard known else {
                throw AuthorizeFailure("invalid_scope", "Invalid scope: expected name and email.")
            }
            return words.filter { !$0.isSame(as: "openid") }
        case .google:
            guard !words.isEmpty else { throw .missing("scope") }
            return words
        case .oidc:
            guard words.contains(where: { $0.isSame(as: "openid") }) else {
                throw AuthorizeFailure("invalid_scope", "scope must contain openid.")
            }
            return words
        }
    }

    /// RFC 7636 section 4.3. `plain` does not protect against leaked requests and is rejected;
    /// a challenge without a method is plain.
    private static func codeChallenge(
        _ parameters: OAuthParameters
    ) throws(AuthorizeFailure) -> String? {
        guard let challenge = parameters["code_challenge"] else {
            guard parameters["code_challenge_method"] == nil else {
                throw .missing("code_challenge")
            }
            return nil
        }
        guard parameters["code_challenge_method"]?.isSame(as: "S256") ?? false else {
            throw AuthorizeFailure("invalid_request", "code_challenge_method must be S256.")
        }
        guard Base64URL.decode(challenge)?.count == 32 else {
            throw AuthorizeFailure(
                "invalid_request", "code_challenge is not a SHA-256 hash in base64url.")
        }
        return challenge
    }

    private static func words(_ text: String?) -> [String] {
        (text ?? "").utf8.split(separator: 0x20).prefix(32).map { String(Substring($0)) }
    }
}

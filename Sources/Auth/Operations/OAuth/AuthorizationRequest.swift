package import AuthDomain
internal import Bytes
package import Time

/// A client's authorization request, after every check that needs neither the person nor the store
/// (OAuth 2.1 section 4.1.1, OpenID Connect Core section 3.1.2.1).
package struct AuthorizationRequest: Sendable {
    package enum Prompt: String, CaseIterable, Sendable {
        case none, login, consent, create
        case selectAccount = "select_account"
    }

    package let client: Client
    package let redirectURI: String
    package let state: String?
    package let challenge: [UInt8]
    package let scope: [String]
    /// The scopes that were asked for, but are unknown or not the client's.
    package let ignoredScopes: [String]
    package let resources: [String]
    package let claims: AskedClaims
    package let nonce: String?
    /// The thumbprint of the key that must be proven with the code (RFC 9449 section 10).
    package let proofKey: String?
    package let prompts: [Prompt]
    package let ageMax: Span?
    /// The strength of proof that the client asks for (`acr_values`). It is voluntary: a user who
    /// cannot give such a proof is not refused, and `acr` in the ID token gives the actual
    /// strength. Only `claims` can require a strength.
    package let strength: ProofStrength?
    package let loginHint: String?
    /// An ID token that names the user whom the client expects.
    package let identityHint: String?
    /// The user whom the client expects, by the claim `sub`.
    package let subject: UserID?

    package func asks(for prompt: Prompt) -> Bool { prompts.contains(prompt) }

    /// The address for the answer to the request.
    package var answer: AuthorizationAnswer {
        AuthorizationAnswer(redirectURI: redirectURI, state: state)
    }
}

/// The redirect URI for an answer, and the `state` that the answer repeats.
package struct AuthorizationAnswer: Equatable, Sendable {
    package let redirectURI: String
    package let state: String?

    package init(redirectURI: String, state: String?) {
        self.redirectURI = redirectURI
        self.state = state
    }

    /// - Parameter issuer: is added so that a client of several providers can tell which one
    ///   answers (RFC 9207 section 2).
    package func location(_ pairs: [(String, String)], issuer: String) -> String {
        var pairs = pairs
        if let state { pairs.append(("state", state)) }
        pairs.append(("iss", issuer))
        let mark = redirectURI.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return redirectURI + mark + PercentEncoding.form(pairs)
    }
}

/// Why a request is refused, and the address that the error is sent to. The address is nil until
/// client and address are verified, so that nothing is ever sent to an address that is not the
/// client's (OAuth 2.1 section 4.1.2.1).
package struct AuthorizationRefusal: Error, Equatable, Sendable {
    package let error: OAuthError
    package let answer: AuthorizationAnswer?
    /// Whether the client was not added by the operator or an administrator. A wrong request of
    /// such a client redirects only users who are signed in, so that it cannot be used to send
    /// others to its address (OAuth 2.1 section 7.13.2).
    package let isOfStranger: Bool
    /// The address, if the request is refused because its address is not listed. The log and the
    /// page show it.
    package var unlistedAddress: UnlistedAddress?
}

extension AuthorizationRequest {
    private static let challengeBytes = 32
    private static let stateBytesMax = 2048
    private static let nonceBytesMax = 1024
    private static let resourcesMax = 8
    private static let scopeBytesMax = 2048
    private static let promptSeparator = UInt8(ascii: " ")

    /// The checks have the order of OAuth 2.1 section 4.1.2.1: an error is sent to the client only
    /// after its address is known to be the client's.
    ///
    /// - Parameters:
    ///   - client: the client with the ID `client_id`; nil if there is none.
    ///   - isPushed: whether the client itself has sent the request (RFC 9126).
    package init(
        _ read: RequestParameters, of client: Client?, to oauth: OAuthServices, isPushed: Bool
    ) throws(AuthorizationRefusal) {
        let (client, answer) = try Self.proven(client, read)
        do throws(OAuthError) {
            guard isPushed || !client.pushesRequests else {
                throw .invalidRequest("The client must push its requests.")
            }
            try self.init(read, from: client, answer, oauth)
        } catch {
            throw AuthorizationRefusal(
                error: error, answer: answer, isOfStranger: client.isSelfRegistered)
        }
    }

    /// The client and the redirect URI, both verified.
    private static func proven(
        _ client: Client?, _ read: RequestParameters
    ) throws(AuthorizationRefusal) -> (Client, AuthorizationAnswer) {
        func refusal(_ error: OAuthError) -> AuthorizationRefusal {
            AuthorizationRefusal(error: error, answer: nil, isOfStranger: true)
        }
        guard !read.isRepeated("client_id"), !read.isRepeated("redirect_uri") else {
            throw refusal(.invalidRequest("A parameter is repeated."))
        }
        guard let client else {
            let isMissing = read["client_id"]?.isEmpty ?? true
            throw refusal(
                isMissing
                    ? .invalidRequest("The app's link lacks client_id.")
                    : .invalidClient(.unknown))
        }
        let redirectURI: String
        if let asked = read["redirect_uri"] {
            guard client.accepts(redirectURI: asked) else {
                var refusal = refusal(.invalidRequest("redirect_uri is not registered."))
                refusal.unlistedAddress = UnlistedAddress(asked, of: client)
                throw refusal
            }
            redirectURI = asked
        } else {
            // OpenID Connect Core section 3.1.2.1 requires a redirect URI. OAuth 2.1 section 2.3.2
            // does not if only one is registered.
            let isOpenID = read.words("scope").contains(StandardScope.openid.rawValue)
            guard client.redirectURIs.count == 1, !isOpenID, !client.isFAPI2 else {
                throw refusal(.invalidRequest("redirect_uri is required."))
            }
            redirectURI = client.redirectURIs[0].text
        }
        // Any other mode would need another kind of answer (OpenID Connect Core section 3.1.2.6).
        guard [nil, "query"].contains(read["response_mode"]) else {
            throw refusal(.invalidRequest("response_mode must be query."))
        }
        let state = read["state"].flatMap { $0.utf8.count <= stateBytesMax ? $0 : nil }
        return (client, AuthorizationAnswer(redirectURI: redirectURI, state: state))
    }

    private init(
        _ read: RequestParameters, from client: Client, _ answer: AuthorizationAnswer,
        _ oauth: OAuthServices
    ) throws(OAuthError) {
        guard !read.hasRepeated(except: ["resource"]) else {
            throw .invalidRequest("A parameter is repeated.")
        }
        if let state = read["state"], state.utf8.count > Self.stateBytesMax {
            throw .invalidRequest("state is too long.")
        }
        for parameter in OAuthError.UnsupportedParameter.allCases
        where read[parameter.rawValue] != nil {
            throw .unsupported(parameter)
        }
        guard let type = read["response_type"] else {
            throw .invalidRequest("response_type is required.")
        }
        guard type == "code" else { throw .unsupportedResponseType }
        guard client.mayUse(.authorizationCode) else {
            throw .unauthorizedClient(.authorizationCode)
        }
        guard read["code_challenge"] != nil else {
            throw .invalidRequest("PKCE is required: code_challenge, with the method S256.")
        }
        guard read["code_challenge_method"] == "S256" else {
            throw .invalidRequest("code_challenge_method must be S256.")
        }
        guard let text = read["code_challenge"], let challenge = Base64URL.decode(text),
            challenge.count == Self.challengeBytes
        else { throw .invalidRequest("code_challenge must be a SHA-256 hash in base64url.") }
        let nonce = read["nonce"]
        guard nonce?.utf8.count ?? 0 <= Self.nonceBytesMax else {
            throw .invalidRequest("nonce is too long.")
        }
        let prompts = try Self.prompts(read["prompt"])
        let scope = try Self.scope(read, of: client, oauth)
        let resources = try Self.resources(read, scope, of: client, oauth)
        // Without OpenID Connect the parameter is unknown, and is ignored.
        let isOpenID = scope.contains(StandardScope.openid.rawValue)
        let asked = try ClaimsParameter(isOpenID ? read["claims"] : nil)
        self.init(
            client: client, redirectURI: answer.redirectURI, state: answer.state,
            challenge: challenge, scope: scope,
            ignoredScopes: read.words("scope").filter { !scope.contains($0) }
                .compactMap { RepeatedText($0)?.text },
            resources: resources,
            claims: asked.claims(open: { oauth.isKnown($0.rawValue, to: client) }), nonce: nonce,
            proofKey: try Self.proofKey(read["dpop_jkt"]),
            prompts: prompts, ageMax: try Self.age(read["max_age"]),
            strength: asked.strength ?? Self.strength(read.words("acr_values")),
            loginHint: read["login_hint"], identityHint: read["id_token_hint"],
            subject: asked.subject)
    }

    /// The prompts in the parameter. Unknown values are ignored.
    private static func prompts(_ text: String?) throws(OAuthError) -> [Prompt] {
        let words = (text ?? "").split(separator: " ").map(String.init)
        let prompts = words.compactMap(Prompt.init(rawValue:))
        guard !prompts.contains(.none) || words.count == 1 else {
            throw .invalidRequest("prompt=none excludes other values.")
        }
        return prompts
    }

    private static func proofKey(_ text: String?) throws(OAuthError) -> String? {
        guard let text else { return nil }
        guard Base64URL.decode(text)?.count == challengeBytes else {
            throw .invalidRequest("dpop_jkt must be a SHA-256 hash in base64url.")
        }
        return text
    }

    /// The weakest of the named strengths.
    private static func strength(_ names: [String]) -> ProofStrength? {
        ProofStrength.named(in: names).min()
    }

    private static func age(_ text: String?) throws(OAuthError) -> Span? {
        guard let text else { return nil }
        guard text.utf8.count <= 10, text.utf8.allSatisfy(\.isDigit), let seconds = Int64(text)
        else { throw .invalidRequest("max_age must be a number of seconds.") }
        return .seconds(seconds)
    }

    /// The scopes of a request. In a request of OpenID Connect, unknown scopes are ignored (Core
    /// section 3.1.2.1); in any other, each must be valid. A request without scopes gets the scopes
    /// of the client's registration.
    static func scope(
        _ read: RequestParameters, of client: Client, _ oauth: OAuthServices
    ) throws(OAuthError) -> [String] {
        guard let text = read["scope"] else { return client.scope ?? [] }
        guard text.utf8.count <= scopeBytesMax else { throw .invalidScope(nil, .tooLong) }
        var words: [String] = []
        for word in read.words("scope") where !words.contains(word) { words.append(word) }
        let known = words.filter { oauth.isKnown($0, to: client) }
        if let unknown = words.first(where: { !known.contains($0) }),
            !known.contains(StandardScope.openid.rawValue)
        {
            throw .invalidScope(
                RepeatedText(unknown), oauth.isDefined(unknown) ? .notOfClient : .unknown)
        }
        return known
    }

    static func resources(
        _ read: RequestParameters, _ scope: [String], of client: Client, _ oauth: OAuthServices
    ) throws(OAuthError) -> [String] {
        var asked: [String] = []
        for uri in read.all("resource") where !asked.contains(uri) { asked.append(uri) }
        guard asked.count <= resourcesMax else { throw .invalidTarget(nil) }
        if let other = asked.first(where: { !oauth.isOpen($0, to: client) }) {
            throw .invalidTarget(RepeatedText(other))
        }
        return asked.isEmpty ? oauth.inferredResources(for: scope, of: client) : asked
    }
}

/// The parameters of a request. One without a value counts as absent (OAuth 2.1 section 3.1).
package struct RequestParameters: Sendable {
    private let pairs: [(name: String, value: String)]

    package init(_ pairs: [(name: String, value: String)]) {
        self.pairs = pairs.filter { !$0.value.isEmpty }
    }

    package subscript(name: String) -> String? {
        pairs.first { $0.name.isSame(as: name) }?.value
    }

    package func all(_ name: String) -> [String] {
        pairs.filter { $0.name.isSame(as: name) }.map(\.value)
    }

    package func words(_ name: String) -> [String] {
        (self[name] ?? "").split(separator: " ").map(String.init)
    }

    package func isRepeated(_ name: String) -> Bool { all(name).count > 1 }

    package func hasRepeated(except exceptions: [String]) -> Bool {
        let names = pairs.map(\.name).filter { !exceptions.contains($0) }
        return Set(names).count < names.count
    }
}

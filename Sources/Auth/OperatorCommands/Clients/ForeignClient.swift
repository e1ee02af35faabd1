internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import JSON

/// A client of another provider, as far as it can be imported.
struct ForeignClient {
    let id: String
    /// The client's metadata, with the names of RFC 7591.
    private(set) var members = JSONObject()
    private(set) var secret: String?
    var isDisabled = false
    /// The features that could not be imported, and notes for the operator about necessary steps.
    private(set) var losses: [String] = []
    private(set) var notes: [String] = []
    /// The reason if the client cannot be imported at all.
    private(set) var refusal: String?
    /// Whether the client is a part of the other provider itself.
    var isBuiltIn = false

    private var grants: [Client.GrantType] = []

    static let nameBytesMax = 100

    /// The operator's choices for all clients of a file.
    struct Choices {
        /// How clients send their secret, if the file does not say.
        var method = Client.Authentication.basic
        /// The servers for which clients may ask for tokens.
        var resources: [String] = []
        /// The scopes that clients can ask for here.
        var scope: [String] = []
    }

    init(_ id: String) { self.id = id }

    // MARK: What it is

    mutating func refuse(_ reason: String) { if refusal == nil { refusal = reason } }
    mutating func lose(_ what: String) { if !losses.contains(what) { losses.append(what) } }

    /// - Parameter text: the name. If it is nil or a placeholder, the client is named by its ID.
    mutating func name(_ text: String?) {
        guard let text, !text.isEmpty, !text.hasPrefix("${") else { return }
        guard text.utf8.count <= Self.nameBytesMax else {
            return lose("its name, which is too long")
        }
        members["client_name"] = .string(text)
    }

    /// - Parameter isNeverAsked: whether the other provider asks nobody for consent.
    mutating func firstParty(_ isNeverAsked: Bool) {
        if isNeverAsked { members["first_party"] = true }
    }

    /// - Parameter member: the member of the metadata that gets the addresses.
    mutating func addresses(_ texts: [String], as member: String, _ what: String) {
        var kept: [JSON] = []
        for text in texts {
            if RedirectURI(registering: text) != nil {
                if !kept.contains(.string(text)) { kept.append(.string(text)) }
            } else {
                let kind = text.utf8.contains(UInt8(ascii: "*")) ? " (wildcard)" : ""
                lose("the \(what) \(text)\(kind)")
            }
        }
        if !kept.isEmpty { members[member] = .array(kept) }
    }

    mutating func redirects(_ texts: [String]) {
        addresses(texts, as: "redirect_uris", "redirect URI")
    }

    mutating func logoutRedirects(_ texts: [String]) {
        addresses(texts, as: "post_logout_redirect_uris", "redirect URI after sign-out")
    }

    mutating func logoutNotices(_ texts: [String]) {
        guard let text = texts.first else { return }
        if texts.count > 1 { lose("further back-channel logout URLs") }
        guard let kind = RedirectURI(registering: text)?.kind, kind != .app else {
            return lose("the back-channel logout URL \(text)")
        }
        members["backchannel_logout_uri"] = .string(text)
    }

    mutating func grant(_ type: Client.GrantType, _ isGiven: Bool = true) {
        if isGiven { grants.append(type) }
    }

    /// - Parameter name: the name of the algorithm in RFC 7518; nil for the standard one.
    mutating func idTokenAlgorithm(_ name: String?) {
        guard let name, !name.isEmpty else { return }
        guard ["RS256", "ES256", "EdDSA"].contains(name) else {
            return lose("ID tokens signed by \(name)")
        }
        members["id_token_signed_response_alg"] = .string(name)
    }

    mutating func promise(_ member: String, _ isGiven: Bool) {
        if isGiven { members[member] = true }
    }

    mutating func scope(_ words: [String]) {
        members["scope"] = .string(words.joined(separator: " "))
    }

    // MARK: Authentication of the client

    /// - Parameter secret: the secret in the file.
    mutating func isPublic(_ secret: String?) {
        members["token_endpoint_auth_method"] = "none"
        if secret != nil { lose("the secret, which a public client does not need") }
    }

    mutating func proves(by method: Client.Authentication, _ secret: String?) {
        members["token_endpoint_auth_method"] = .string(method.rawValue)
        guard let secret, Self.isShown(secret) else { return lacksSecret("is not in the file") }
        guard ClientMetadata.isSecret(secret) else { return lacksSecret("is too short") }
        self.secret = secret
    }

    private mutating func lacksSecret(_ why: String) {
        notes.append("its secret \(why): give it a secret with latchkey admin clients secret \(id)")
    }

    mutating func proves(byKeysAt url: String?, _ keys: JSON?) {
        members["token_endpoint_auth_method"] = .string(Client.Authentication.key.rawValue)
        members["jwks_uri"] = url.map { .string($0) }
        if url == nil { members["jwks"] = keys }
        if url == nil, keys == nil {
            refuse("its keys are not in the file as a URL or a JSON Web Key Set")
        }
    }

    /// Whether the file has the secret itself: it is not masked, hashed or kept elsewhere.
    private static func isShown(_ secret: String) -> Bool {
        let isOneLetter = secret.utf8.allSatisfy { $0 == secret.utf8.first }
        return !isOneLetter && !["$", "{", "##", "_VALUE_NOT"].contains(where: secret.hasPrefix)
    }

    // MARK: The result

    /// The client in the form for the store; nil if it cannot be stored.
    mutating func imported(_ choices: Choices) -> ImportedClient? {
        if members["redirect_uris"] == nil, grants.contains(.authorizationCode) {
            grants.removeAll { $0 == .authorizationCode }
            if grants.contains(.deviceCode) {
                lose("the code grant, without a redirect URI")
            } else {
                grants.removeAll { $0 == .refreshToken }
                if grants.isEmpty { refuse("none of its redirect URIs can be imported") }
            }
        }
        if members["token_endpoint_auth_method"] == "none", grants.contains(.clientCredentials) {
            grants.removeAll { $0 == .clientCredentials }
            lose("the client credentials grant of a public client")
        }
        if grants.isEmpty { refuse("none of its grants can be imported") }
        guard refusal == nil, !isBuiltIn else { return nil }
        members["grant_types"] = .array(grants.map { .string($0.rawValue) })
        members["allowed_resources"] = .array(choices.resources.map { .string($0) })
        return ImportedClient(
            id: id, members: members, secret: secret, isDisabled: isDisabled)
    }
}

import Bytes
import JSON
import Time

/// What an exchange shows about the provider.
struct ProviderSeen {
    let exchange: Exchange
    let fields: [String: String]
    /// The client that the request names.
    let client: Program?
    /// Whether it proves that it is this client, in the way that is registered.
    let isProven: Bool
    /// The code of the request, and what it stands for.
    let code: (text: String, fact: ProviderFacts.Code)?
    let refresh: (token: String, grant: String, fact: ProviderFacts.Grant)?
    /// The code of the answer, and the request that it answers.
    let given: (code: String, asked: ProviderFacts.Asked)?
    /// The access token that the request presents, or asks about.
    let presented: ClientToken?
    let issued: ClientToken?
    let identity: JSON?
    let redirect: Redirect?

    private static let resource = "RESOURCE "

    /// nil for an exchange that has nothing to do with it.
    init?(_ exchange: Exchange, _ facts: Facts) {
        let known = exchange.bearer.flatMap { facts.provider.accesses[$0] }
        guard
            known != nil || exchange.operation.contains("/oauth/") || exchange.isOfPage
                || exchange.operation.hasPrefix(Self.resource)
        else { return nil }
        let fields = exchange.fields
        self.exchange = exchange
        self.fields = fields
        let basic = exchange.basic
        client =
            (basic?.id ?? fields["client_id"]).flatMap { facts.provider.programs[$0] }
            ?? ProviderSettings.servers.first { $0.id == basic?.id }
        isProven =
            switch client?.proof {
            case .basic: basic?.secret == client?.secret
            case .post: basic == nil && fields["client_secret"] == client?.secret
            case .key: basic == nil && ProgramKey.hasSigned(fields["client_assertion"])
            case .some(.none): basic == nil && fields["client_secret"] == nil
            case nil: false
            }
        let type = exchange.operation == "POST /oauth/token" ? fields["grant_type"] : nil
        code =
            type == "authorization_code"
            ? fields["code"].flatMap { text in
                facts.provider.codes[text].map { (text, $0) }
            } : nil
        refresh =
            type == "refresh_token"
            ? fields["refresh_token"].flatMap { token in
                facts.provider.refreshes[token].flatMap { grant in
                    facts.provider.grants[grant].map { (token, grant, $0) }
                }
            } : nil
        let redirect = exchange.isOfPage ? Redirect(exchange.location) : nil
        self.redirect = redirect
        let asked =
            exchange.operation == "GET /oauth/authorize"
            ? ProviderFacts.Asked(fields, device: exchange.origin.device, at: facts.now)
            : fields["request"].flatMap { facts.provider.waiting[$0] }
        given =
            redirect?.isOfServer == false
            ? redirect?.parameters["code"].flatMap { code in asked.map { (code, $0) } } : nil
        let named = exchange.operation.hasPrefix("POST /oauth/") ? fields["token"] : nil
        presented = named.flatMap { facts.provider.accesses[$0] } ?? known
        issued =
            exchange.isSuccess
            ? exchange.answer?["access_token"]?.stringValue.flatMap(ClientToken.init) : nil
        identity = exchange.answer?["id_token"]?.stringValue.flatMap { token in
            let parts = token.split(separator: ".")
            return parts.count == 3
                ? Base64URL.decode(parts[1]).flatMap { try? JSON.parse($0, limits: .event) } : nil
        }
    }

    /// The grant that an accepted request uses.
    var grantInUse: String? {
        guard exchange.isSuccess else { return nil }
        switch exchange.operation {
        case "POST /oauth/token": return refresh?.grant
        case "GET /oauth/userinfo": return presented?.grant
        case "POST /oauth/introspect":
            return exchange.answer?["active"]?.boolValue == true ? presented?.grant : nil
        default: return nil
        }
    }

    /// The refusal of a token request, as OAuth names it.
    var refusal: String? {
        exchange.operation == "POST /oauth/token" && exchange.status >= 400
            ? exchange.answer?["error"]?.stringValue : nil
    }

    /// The resource server that has judged a token by itself.
    var resource: String? {
        exchange.operation.hasPrefix(Self.resource)
            ? String(exchange.operation.dropFirst(Self.resource.count)) : nil
    }

    var refreshIssued: String? {
        exchange.isSuccess ? exchange.answer?["refresh_token"]?.stringValue : nil
    }

    /// Whether the request is right in every respect.
    var isRight: Bool {
        guard isOwn, let asked = code?.fact.asked ?? refresh?.fact.asked else { return false }
        guard let resource = fields["resource"] else { return asked.resources.count <= 1 }
        return asked.resources.contains(resource) || resource == ProviderSettings.issuer
    }

    /// Whether the client has proven itself, and the code or the refresh token is its own.
    var isOwn: Bool {
        guard isProven, let client else { return false }
        if let code {
            return code.fact.asked.client == client.id
                && code.fact.asked.isProven(by: fields["code_verifier"])
                && fields["redirect_uri"].map { $0 == code.fact.asked.redirectURI } ?? true
        }
        return refresh?.fact.asked.client == client.id
    }
}

extension Exchange {
    var isOfPage: Bool {
        operation == "GET /oauth/authorize" || operation.contains(" /auth/ui/")
    }

    /// The texts of the body. One that is empty counts as omitted (OAuth 2.1 section 3.2).
    var fields: [String: String] {
        var fields: [String: String] = [:]
        for (name, value) in body.objectValue?.members ?? [] {
            fields[name] = value.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        }
        return fields
    }

    /// The name and the secret of a header with `Basic`.
    var basic: (id: String, secret: String)? {
        guard operation.hasPrefix("POST /oauth/"), let bearer, let bytes = Base64.decode(bearer)
        else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
}

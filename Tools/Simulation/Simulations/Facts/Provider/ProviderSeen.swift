import AuthDomain
import Bytes
import JSON
import Time

/// What an exchange shows about the provider.
struct ProviderSeen {
    let exchange: Exchange
    let fields: [String: String]
    /// The client that the request names.
    let client: Program?
    /// Whether the request proves this client's identity, with the registered method.
    let isProven: Bool
    /// The secret in the request.
    let secret: String?
    /// The code in the request, and the facts about it.
    let code: (text: String, fact: ProviderFacts.Code)?
    let refresh: (token: String, grant: String, fact: ProviderFacts.Grant)?
    /// The device code of a poll, and its request.
    let device: (code: String, fact: DeviceFacts.Request)?
    /// The ID token in a program's request for a sign-out.
    let hint: JSON?
    /// The code in the response, and the request that it belongs to.
    let given: (code: String, asked: ProviderFacts.Asked)?
    /// The access token that the request presents or introspects.
    let presented: ClientToken?
    let issued: ClientToken?
    let identity: JSON?
    let redirect: Redirect?
    /// The key for which the request contains a valid and unused proof.
    let key: String?
    /// Whether the proof is valid, and would also be valid if the function had begun a little
    /// earlier.
    let hasRightProof: Bool

    /// The prefix for servers that verify tokens themselves, or that are behind a gateway.
    private static let resource = "RESOURCE "
    private static let gateway = "GATEWAY "

    /// nil for an exchange that does not involve the provider.
    init?(_ exchange: Exchange, _ facts: Facts) {
        let known = exchange.bearer.flatMap { facts.provider.accesses[$0] }
        guard
            known != nil || exchange.operation.contains("/oauth/") || exchange.isOfPage
                || exchange.operation.hasPrefix(Self.resource)
                || exchange.operation.hasPrefix(Self.gateway)
        else { return nil }
        let fields = exchange.fields
        self.exchange = exchange
        self.fields = fields
        let basic = exchange.basic
        client =
            (basic?.id ?? fields["client_id"]).flatMap { facts.provider.programs[$0] }
            ?? ProviderSettings.servers.first { $0.id == basic?.id }
        secret = basic?.secret ?? fields["client_secret"]
        isProven = client.map { Self.isProven($0, exchange, facts) } ?? false
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
        device = type == Program.device ? Self.device(fields["device_code"], facts) : nil
        hint = exchange.isOfLogout ? Self.claims(fields["id_token_hint"]) : nil
        let redirect = exchange.isOfPage && !exchange.isOfLogout ? Redirect(exchange.location) : nil
        self.redirect = redirect
        let asked =
            exchange.operation == "GET /oauth/authorize"
            ? ProviderFacts.Asked(
                fields, device: exchange.origin.device, at: facts.now, step: exchange.startedAt)
            : fields["request"].flatMap { facts.provider.waiting[$0] }
        given =
            redirect?.isOfServer == false
            ? redirect?.parameters["code"].flatMap { code in asked.map { (code, $0) } } : nil
        let named = exchange.operation.hasPrefix("POST /oauth/") ? fields["token"] : nil
        let presented = named.flatMap { facts.provider.accesses[$0] } ?? known
        self.presented = presented
        let right = exchange.proof.flatMap { proof in
            proof.isFor(exchange.target, token: named == nil ? presented?.text : nil)
                && !facts.provider.proofs.contains(proof.text) ? proof : nil
        }
        let ageMax = facts.policy.proofs?.ageMax ?? .zero
        key = right.flatMap {
            $0.isFresh(at: facts.now, ageMax, leeway: .seconds(5)) ? $0.thumbprint : nil
        }
        hasRightProof = right?.isFresh(at: facts.now, ageMax, leeway: .seconds(-5)) ?? false
        issued =
            exchange.isSuccess
            ? exchange.answer?["access_token"]?.stringValue.flatMap(ClientToken.init) : nil
        identity = Self.claims(exchange.answer?["id_token"]?.stringValue)
    }

    private static func device(
        _ code: String?, _ facts: Facts
    ) -> (code: String, fact: DeviceFacts.Request)? {
        code.flatMap { code in facts.provider.devices.requests[code].map { (code, $0) } }
    }

    private static func claims(_ token: String?) -> JSON? {
        let parts = token?.split(separator: ".") ?? []
        return parts.count == 3
            ? Base64URL.decode(parts[1]).flatMap { try? JSON.parse($0, limits: .event) } : nil
    }

    private static func isProven(
        _ client: Program, _ exchange: Exchange, _ facts: Facts
    ) -> Bool {
        let (basic, fields) = (exchange.basic?.secret, exchange.fields)
        func isSecret(_ text: String?) -> Bool {
            guard let text, client.secrets.contains(text) else { return false }
            return !facts.provider.secretEnds.hasEnded(text, before: exchange.startedAt)
        }
        let assertion = fields["client_assertion"]
        if client.isDescribed {
            // `DescriptionIsKept` judges which version of the client's description is used.
            let key = ProgramKey.number(of: assertion)
            return basic == nil && fields["client_secret"] == nil
                && facts.provider.sites?.sites[client.id]?.versions.contains { $0.key == key }
                    ?? false
        }
        return switch client.proof {
        case .basic: isSecret(basic)
        case .post: basic == nil && isSecret(fields["client_secret"])
        case .key: basic == nil && ProgramKey.number(of: assertion) == client.keyNumber
        case .none: basic == nil && fields["client_secret"] == nil
        }
    }

    /// The grant that an accepted request uses.
    var grantInUse: String? {
        guard exchange.isSuccess else { return nil }
        if exchange.operation.hasPrefix(Self.gateway) { return presented?.grant }
        switch exchange.operation {
        case "POST /oauth/token":
            let isExchange = fields["grant_type"] == Program.exchange
            return isExchange ? issued?.grant : refresh?.grant
        case "GET /oauth/userinfo": return presented?.grant
        case "POST /oauth/introspect":
            return exchange.answer?["active"]?.boolValue == true ? presented?.grant : nil
        default: return nil
        }
    }

    /// The OAuth error code of a refused token request.
    var refusal: String? {
        exchange.operation == "POST /oauth/token" && exchange.status >= 400
            ? exchange.answer?["error"]?.stringValue : nil
    }

    /// The resource server that has verified a token, itself or through its gateway.
    var resource: String? {
        [Self.resource, Self.gateway].first(where: exchange.operation.hasPrefix)
            .map { String(exchange.operation.dropFirst($0.count)) }
    }

    /// Whether a gateway has verified the token, by asking the functions.
    var isOfGateway: Bool { exchange.operation.hasPrefix(Self.gateway) }

    /// The client that made the request or is its subject.
    var concerned: String? {
        given?.asked.client ?? client?.id ?? presented?.client ?? code?.fact.asked.client
            ?? device?.fact.asked.client
    }

    /// The name of the waiting request that the browser answers.
    var request: String? { fields["request"] ?? exchange.waiting }

    var refreshIssued: String? {
        exchange.isSuccess ? exchange.answer?["refresh_token"]?.stringValue : nil
    }

    /// Whether the request is valid in every respect.
    var isRight: Bool {
        guard isOwn,
            let asked = code?.fact.asked ?? refresh?.fact.asked ?? device?.fact.asked
        else { return false }
        guard exchange.proof == nil ? client?.requiresProof == false : hasRightProof else {
            return false
        }
        guard let resource = fields["resource"] else { return asked.resources.count <= 1 }
        return asked.resources.contains(resource) || resource == ProviderSettings.issuer
    }

    /// Whether the client has proven who it is, and owns the code or refresh token.
    var isOwn: Bool {
        guard isProven, let client else { return false }
        if let code {
            return code.fact.asked.client == client.id
                && code.fact.asked.isProven(by: fields["code_verifier"])
                && fields["redirect_uri"].map { $0 == code.fact.asked.redirectURI } ?? true
                && code.fact.asked.proofKey.map { $0 == key } ?? true
        }
        if let device { return device.fact.asked.client == client.id }
        guard let refresh else { return false }
        return refresh.fact.asked.client == client.id
            && refresh.fact.key.map { $0 == key } ?? true
    }

    /// Whether the request contains the proof that this token needs.
    func isProven(_ token: ClientToken) -> Bool {
        token.boundTo == nil ? !exchange.isBound : exchange.isBound && key == token.boundTo
    }
}

extension Exchange {
    /// The method and URL that a proof for this request must contain.
    var target: (method: String, url: String) {
        let parts = operation.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return ("", "") }
        return parts[1].hasPrefix("https://")
            ? ("GET", parts[1] + ProviderSettings.pathOfResources)
            : (parts[0], ProviderSettings.issuer + parts[1])
    }

    var isOfPage: Bool {
        operation == "GET /oauth/authorize" || operation.contains(" /auth/ui/")
    }

    /// Whether the request asks for a sign-out by a program.
    var isOfLogout: Bool {
        operation == "GET /oauth/logout" || operation == "POST /auth/ui/logout"
    }

    /// The texts in the body. An empty one counts as omitted (OAuth 2.1 section 3.2).
    var fields: [String: String] {
        var fields: [String: String] = [:]
        for (name, value) in body.objectValue?.members ?? [] {
            fields[name] = value.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        }
        return fields
    }

    /// The client ID and the secret in a `Basic` header.
    var basic: (id: String, secret: String)? {
        guard operation.hasPrefix("POST /oauth/"), let bearer, let bytes = Base64.decode(bearer)
        else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
}

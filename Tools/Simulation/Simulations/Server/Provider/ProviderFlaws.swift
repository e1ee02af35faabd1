import AuthDomain
import AuthOperations
import AuthRecords
import Bytes
import Cryptography
import JSON
import KeyValueStore

/// Planted bugs of the provider, in its settings, in the rows that its functions read, and in its
/// requests and responses.
final class ProviderFlaws {
    enum Flaw: Sendable {
        // These bugs are in the settings.
        case takesAddressOfAnother, takesAnyLoopbackPath, refreshesForAll, skipsConsent
        case takesAnyHost, takesAnyFarewell, widensOwnScope
        // These bugs are in the rows that functions read.
        case takesCodeOfAnyClient, refreshesForAnyClient, endsGrantByWrongReplay, takesAnyVerifier
        case takesResourceOfTokenRequest, answersInAnyBrowser, trustsStrangers, remembersAccounts
        case endsOfflineGrants, keepsOnlineGrants, forgetsNonce, takesAssertionsAgain
        case exchangesForAnyServer
        case answersAgain
        case takesAnyKey, bindsNoRefreshToken, takesProofsAgain, forgetsKeyOfCode
        case readsDocumentsOnce, takesChangedDocument, showsChangedDocument
        case agreesAfterSignIn, remembersPrograms, ignoresDisabling
        case takesDeviceOfAnyClient, slowsForEver, takesUnread, keepsDevices, keepsBrowsers
        case countsNoCodes
        // These bugs ignore the client's epoch in rows.
        case refreshesEnded, takesEndedCode, takesEndedDevice, inspectsEnded, inspectsEndedOwn
        case remembersFormerSecrets
        // These bugs are in requests.
        case takesPlainChallenge, introspectsForAll, revokesForAll, takesAnySecret, takesAnyProof
        case ignoresAge, ignoresOffline, usesCodeUpForWrongResource, ignoresProofs
        case takesRefusalAsApproval
        // These bugs are in responses.
        case redirectsErrors, describesForAnyToken, takesClientTokensAsOwn, answersInOwnForm
        case limitsHideDeadTokens, takesBoundAsBearer, hidesKeys, takesAnyHint, describesPrograms
        /// A resource server does not require a proof of the key to which a token is bound.
        case resourceServerIgnoresKeys
        /// A resource server accepts tokens of any audience.
        case resourceServerTakesAll
    }

    let flaw: Flaw?
    /// The requests under way, the innermost last.
    private var requests: [WireRequest] = []
    private var accounts: [ItemKey: Item] = [:]

    init(_ flaw: Flaw?) { self.flaw = flaw }

    func begin(_ request: WireRequest) { requests.append(request) }
    func end() { requests.removeLast() }

    /// The path of the innermost request.
    var path: String? { requests.last?.path }

    // MARK: Settings

    func configured(_ client: Client) -> Client {
        var client = client
        func add(_ address: String) {
            client.redirectURIs += [RedirectURI(registering: address)].compactMap(\.self)
        }
        switch flaw {
        case .takesAddressOfAnother where !client.redirectURIs.isEmpty:
            add("https://printer.example.com.evil.example/back")
        case .takesAnyLoopbackPath where client.id == "terminal": add("http://127.0.0.1/other")
        case .refreshesForAll where client.introspects == nil:
            client.grantTypes = [.authorizationCode, .refreshToken]
        case .skipsConsent where client.id == "printer": client.isFirstParty = true
        case .takesAnyFarewell:
            client.logoutRedirectURIs += [RedirectURI(registering: Self.evil)].compactMap(\.self)
        case .widensOwnScope where client.mayUse(.clientCredentials): client.scope = nil
        default: break
        }
        return client
    }

    // MARK: Rows

    func read(_ found: Item?, at key: ItemKey) -> Item? {
        if flaw == .keepsBrowsers, RowKind(key) == .session {
            if let found { accounts[key] = found }
            return path == "/oauth/token" ? found ?? accounts[key] : found
        }
        guard var item = found, let request = requests.last, let flaw else { return found }
        let fields = request.fields ?? [:]
        let kind = RowKind(key)
        func set(_ name: String, _ value: Attribute?) { item.attributes[name] = value }
        if ignoresEpoch(of: request, fields) { set("clientEpoch", nil) }
        func setVerifier() {
            let hash = SHA256.hash(Array((fields["code_verifier"] ?? "").utf8))
            set("challenge", .bytes(hash))
        }
        func setClient() { if let client = request.client { set("client", .text(client)) } }
        func setResource() {
            guard let asked = fields["resource"],
                case .text(let own)? = item.attributes["resources"]
            else { return }
            set("resources", .text(own.isEmpty ? asked : "\(own) \(asked)"))
        }
        switch (flaw, kind) {
        case (.takesCodeOfAnyClient, .authorizationCode): setClient()
        case (.takesAnyVerifier, .authorizationCode): setVerifier()
        case (.endsGrantByWrongReplay, .authorizationCode) where item.attributes["grant"] != nil:
            setVerifier()
            setClient()
        case (.forgetsNonce, .authorizationCode): set("nonce", nil)
        case (.takesResourceOfTokenRequest, .authorizationCode),
            (.takesResourceOfTokenRequest, .clientGrant):
            setResource()
        case (.exchangesForAnyServer, .clientGrant) where fields["grant_type"] == Program.exchange:
            setResource()
        case (.refreshesForAnyClient, .clientGrant) where request.path == "/oauth/token":
            setClient()
        case (.endsOfflineGrants, .clientGrant): set("offline", .flag(false))
        case (.keepsOnlineGrants, .clientGrant): set("offline", .flag(true))
        case (.answersInAnyBrowser, .waitingRequest):
            guard let cookie = request.cookie("__Host-latchkey-oauth"),
                let secret = Base64URL.decode(cookie)
            else { return item }
            set("browser", .bytes(WaitingAuthorization.hash(secret)))
        case (.trustsStrangers, .client): set("addedBy", .text("an administrator"))
        case (.remembersAccounts, .profile) where request.path.hasPrefix("/oauth/"),
            (.remembersPrograms, .client):
            if let known = accounts[key] { return known }
            accounts[key] = item
        default: setOfFeatures(flaw, kind, &item, request)
        }
        return item
    }

    private func ignoresEpoch(of request: WireRequest, _ fields: [String: String]) -> Bool {
        let type = fields["grant_type"]
        let isInspected = request.path == "/oauth/introspect"
        return switch flaw {
        case .refreshesEnded: type == "refresh_token"
        case .takesEndedCode: type == "authorization_code"
        case .takesEndedDevice: type == Program.device
        case .inspectsEnded: isInspected
        case .inspectsEndedOwn:
            isInspected && fields["token"].flatMap(ClientToken.init)?.isOwn == true
        default: false
        }
    }

    /// Changes rows that only some runs with the provider have.
    private func setOfFeatures(
        _ flaw: Flaw, _ kind: RowKind, _ item: inout Item, _ request: WireRequest
    ) {
        func set(_ name: String, _ value: Attribute?) { item.attributes[name] = value }
        let isForTokens = request.path == "/oauth/token"
        switch (flaw, kind) {
        case (.takesAnyKey, .clientGrant) where item.attributes["clientKey"] != nil && isForTokens:
            guard let proof = ShownProof(request.header("DPoP")) else { return }
            set("clientKey", .text(proof.thumbprint))
        case (.bindsNoRefreshToken, .clientGrant) where isForTokens: set("clientKey", nil)
        case (.forgetsKeyOfCode, .authorizationCode): set("proofKey", nil)
        case (.readsDocumentsOnce, .clientDocument):
            set("freshUntil", .integer(Self.farAway))
        case (.takesChangedDocument, .authorizationCode),
            (.showsChangedDocument, .waitingRequest):
            set("description", nil)
        case (.answersAgain, .waitingRequest): set("answered", nil)
        case (.takesDeviceOfAnyClient, .deviceRequest) where isForTokens:
            if let client = request.client { set("client", .text(client)) }
        case (.slowsForEver, .deviceRequest) where item.attributes["polledAt"] != nil:
            set("polledAt", .integer(Self.farAway))
        case (.takesUnread, .deviceRequest) where request.fields?["decision"] == "allow":
            set("reader", request.fields?["account"].map { .text($0) })
        case (.keepsDevices, .deviceRequest): set("endsAt", .integer(Self.farAway))
        case (.ignoresDisabling, .client): set("disabledAt", nil)
        case (.remembersFormerSecrets, .client) where item.attributes["formerSecret"] != nil:
            accounts[item.key] = item
        case (.remembersFormerSecrets, .client):
            for name in ["formerSecret", "formerSecretEndsAt"] {
                set(name, accounts[item.key]?.attributes[name])
            }
        case (.agreesAfterSignIn, .waitingRequest):
            guard let tokens = Browser.tokens(request.sessionCookie),
                let access = AccessToken(tokens.access)
            else { return }
            set("agreedFor", .text(access.user))
        default: break
        }
    }

    static let evil = "https://evil.example/"
    private static let farewell = "post_logout_redirect_uri"
    /// A time in the far future, in milliseconds.
    private static let farAway: Int64 = 9_000_000_000_000

    func counted(_ counters: [CounterIncrement]) -> [CounterIncrement] {
        let kind: String
        switch flaw {
        case .takesAssertionsAgain: kind = "RATE#assertion"
        case .takesProofsAgain: kind = "RATE#proof"
        case .countsNoCodes: kind = "RATE#enterUserCode"
        default: return counters
        }
        return counters.filter { !$0.key.partition.hasPrefix(kind) }
    }

    // MARK: Requests

    func received(_ sent: WireRequest) -> WireRequest {
        var request = sent
        if flaw == .ignoresProofs { request.headers.removeAll { $0.name == "DPoP" } }
        guard let flaw, var fields = request.fields else { return request }
        func changed() -> WireRequest {
            let text = PercentEncoding.form(fields.sorted { $0.key < $1.key }.map { ($0, $1) })
            return WireRequest(
                method: request.method, path: request.path,
                query: request.method == "GET" ? text : request.query, headers: request.headers,
                body: request.method == "GET" ? [] : Array(text.utf8))
        }
        switch (flaw, request.path) {
        case (.takesPlainChallenge, "/oauth/authorize"):
            guard fields["code_challenge_method"] == "plain" else { return request }
            fields["code_challenge_method"] = "S256"
            fields["code_challenge"] = Base64URL.encode(
                SHA256.hash(Array((fields["code_challenge"] ?? "").utf8)))
            return changed()
        case (.ignoresAge, "/oauth/authorize"):
            (fields["max_age"], fields["prompt"]) = (nil, nil)
            return changed()
        case (.takesRefusalAsApproval, "/oauth/device") where fields["decision"] == "deny":
            fields["decision"] = "allow"
            return changed()
        case (.ignoresOffline, "/oauth/authorize"):
            fields["scope"] = fields["scope"]?.split(separator: " ")
                .filter { $0 != "offline_access" }.joined(separator: " ")
            return changed()
        case (.usesCodeUpForWrongResource, "/oauth/token") where isForWrongResource(fields):
            fields["resource"] = nil
            return changed()
        case (.introspectsForAll, "/oauth/introspect"):
            let audience = fields["token"].flatMap(ClientToken.init)?.audience
            guard let server = ProviderSettings.servers.first(where: { $0.resource == audience })
            else { return request }
            return proven(request, server)
        case (.revokesForAll, "/oauth/revoke"):
            return proven(request, fields["token"].flatMap(ClientToken.init)?.client)
        case (.takesAnySecret, "/oauth/token"), (.takesAnyProof, "/oauth/token"):
            guard let id = request.client,
                let program = ProviderSettings.programs.first(where: { $0.id == id }),
                flaw == .takesAnySecret || request.has(program.secret)
            else { return request }
            return proven(request, program)
        default: return request
        }
    }

    private func isForWrongResource(_ fields: [String: String]) -> Bool {
        fields["resource"]?.hasPrefix("https://other.") ?? false
    }

    /// Changes the request as if another client had sent it, or as if the same client had sent
    /// another proof.
    private func proven(_ request: WireRequest, _ program: Program) -> WireRequest {
        let own: Set<String> = ["client_id", "client_secret"]
        let pairs = (request.fields ?? [:]).filter { !own.contains($0.key) }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return program.request(request.path, pairs)
    }

    private func proven(_ request: WireRequest, _ id: String?) -> WireRequest {
        guard let program = ProviderSettings.programs.first(where: { $0.id == id }) else {
            return request
        }
        return proven(request, program)
    }

    // MARK: Responses

    func answered(_ answer: WireAnswer, to request: WireRequest) -> WireAnswer {
        guard let flaw else { return answer }
        func refused(_ status: Int, _ error: JSON) -> WireAnswer {
            var other = answer
            (other.status, other.body) = (status, error.serialized)
            return other
        }
        let bearer = request.header("Authorization")?.split(separator: " ").last.map(String.init)
        let token = bearer.flatMap(AccessToken.init)
        switch (flaw, request.path) {
        case (.redirectsErrors, "/oauth/authorize") where answer.status >= 400:
            guard let address = request.fields?["redirect_uri"] else { return answer }
            var other = answer
            other.status = 303
            other.headers.append((name: "location", value: "\(address)?error=invalid_request"))
            return other
        case (.takesAnyHint, "/oauth/logout") where answer.asks(for: Self.farewell):
            guard let fields = request.fields, fields["id_token_hint"] != nil,
                let address = fields[Self.farewell]
            else { return answer }
            return WireAnswer(status: 303, headers: [(name: "location", value: address)], body: [])
        case (.describesForAnyToken, "/oauth/userinfo") where answer.status == 401:
            return token.map { refused(200, ["sub": .string($0.user)]) } ?? answer
        case (.describesPrograms, "/oauth/userinfo") where answer.status == 401:
            let own = bearer.flatMap(ClientToken.init).flatMap { $0.isOwn ? $0 : nil }
            return own.map { refused(200, ["sub": .string($0.client)]) } ?? answer
        case (.takesBoundAsBearer, "/oauth/userinfo")
        where answer.status == 401 && request.header("DPoP") == nil:
            return token.map { refused(200, ["sub": .string($0.user)]) } ?? answer
        case (.hidesKeys, "/oauth/introspect"):
            guard var members = (try? JSON.parse(answer.body, limits: .event))?.objectValue,
                members["cnf"] != nil
            else { return answer }
            members["cnf"] = nil
            return refused(answer.status, .object(members))
        case (.takesClientTokensAsOwn, "/auth/me") where answer.status == 401:
            guard let token, token.claims["client_id"] != nil else { return answer }
            return refused(200, ["user": ["id": .string(token.user)]])
        case (.answersInOwnForm, "/oauth/token") where answer.status == 400:
            return refused(400, ["error": ["code": "INVALID_GRANT", "message": "no"]])
        case (.limitsHideDeadTokens, "/oauth/token") where answer.status == 400:
            let type = request.fields?["grant_type"]
            return type == "refresh_token" ? refused(429, ["error": "slow_down"]) : answer
        case (.usesCodeUpForWrongResource, "/oauth/token")
        where answer.status == 200 && isForWrongResource(request.fields ?? [:]):
            return refused(400, ["error": "invalid_target"])
        default: return answer
        }
    }
}

extension WireRequest {
    /// The client in the request.
    fileprivate var client: String? {
        let basic = header("Authorization").flatMap { $0.split(separator: " ").last }
            .flatMap { Base64.decode(String($0)) }
            .map { String(decoding: $0, as: UTF8.self).prefix { $0 != ":" } }
        return basic.map(String.init) ?? fields?["client_id"]
    }

    fileprivate func has(_ secret: String?) -> Bool {
        guard let secret else { return false }
        let basic = header("Authorization").flatMap { $0.split(separator: " ").last }
            .flatMap { Base64.decode(String($0)) }.map { String(decoding: $0, as: UTF8.self) }
        return fields?["client_secret"] == secret || basic?.hasSuffix(":\(secret)") == true
    }

    fileprivate func cookie(_ name: String) -> String? {
        header("Cookie")?.split(separator: ";").lazy
            .map { $0.drop { $0 == " " } }.first { $0.hasPrefix(name + "=") }
            .map { String($0.dropFirst(name.count + 1)) }
    }
}

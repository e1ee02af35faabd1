internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Cryptography
internal import FunctionRuntime
internal import HTTP
internal import JOSE
internal import JSON
internal import Time

/// `OAUTH`, `OAUTH_CLIENTS`, `OAUTH_RESOURCES` and `OAUTH_DEFAULT_RESOURCE`: the third-party
/// programs that may ask for tokens, and the servers that the tokens are for.
struct OAuthSettings: ServicePart {
    private let clients: [Client]
    private let resources: [ProtectedResource]
    private let defaultResource: String?
    private let registration: ClientRegistration
    private let documents: Documents
    private let accessTokenAlgorithm: Algorithm
    /// Whether the function has the keys that sign ID tokens.
    private let signs: Bool
    /// The audiences of tokens that are not issued to clients.
    private let ownAudiences: [String]

    private static let clientsMax = 1000
    private static let limits = JSONLimits(bytesMax: SecretFile.bytesMax, depthMax: 8)

    private enum Extent: String, CaseIterable { case on, off }

    static func areOn(_ reader: SettingsReader) -> Bool {
        reader.text("OAUTH").map { $0.isSame(as: Extent.on.rawValue) } ?? false
    }

    /// nil unless the provider is on.
    static func policy(
        _ reader: inout SettingsReader, _ standard: OAuthPolicy?
    ) -> OAuthPolicy? {
        standard != nil && reader.choice("OAUTH", Extent.self) == .on ? standard : nil
    }

    func install(in services: inout OptionalServices, _ context: ServiceContext) {
        var keys = [accessTokenAlgorithm: context.signingKeys]
        if accessTokenAlgorithm != .rs256 { keys[.rs256] = context.makeSigningKeys(.rs256) }
        let strangers: HTTPReach =
            Self.isLoopback(context.issuer) ? .internetOrLoopback : .internet
        let notices = LogoutRequests(
            transport: context.requests.transport(for: .logoutNotice), strangers: strangers)
        let documents: ClientDocuments? =
            switch documents {
            case .off: nil
            case .of(let hosts):
                ClientDocuments(
                    hosts: hosts,
                    get: ClientDocumentRequest(
                        transport: context.requests.transport(for: .clientDocument),
                        reach: strangers
                    ).get)
            }
        services.oauth = OAuthServices(
            issuer: context.issuer, clients: clients, resources: resources,
            defaultResource: defaultResource, registration: registration,
            documents: documents, idTokenKeys: keys,
            accessTokenAlgorithm: accessTokenAlgorithm, keySets: context.keySets,
            report: context.reports.clients,
            logout: signs
                ? LogoutServices(send: notices.send, report: context.reports.logout) : nil,
            ownAudiences: ownAudiences)
    }

    /// - Parameters:
    ///   - policy: the contract's policy, as the settings have changed it.
    ///   - issuer: the audience of tokens for the endpoint userinfo.
    static func read(
        _ reader: inout SettingsReader, _ policy: Policy, _ needs: ServiceNeeds, issuer: String
    ) -> OAuthSettings? {
        guard policy.oauth != nil, needs.contains(.oauth) else { return nil }
        let algorithm = Algorithm(policy.accessTokens.algorithm)
        let resources = resources(
            &reader, own: [policy.accessTokens.audience, issuer], [.rs256, algorithm])
        let ownAudiences = [policy.accessTokens.audience, WebIdentityTokens.audience]
        let clients = clients(&reader, resources, [.rs256, algorithm], own: ownAudiences)
        if policy.proofs?.mode ?? .off == .off,
            resources.contains(where: \.requiresProof) || clients.contains(where: \.requiresProof)
        {
            reader.refuse("OAUTH_RESOURCES and OAUTH_CLIENTS: DPoP needs DPOP=optional or required")
        }
        let standard = reader.text("OAUTH_DEFAULT_RESOURCE")
        if let standard, !resources.contains(where: { $0.uri.isSame(as: standard) }) {
            reader.refuse("OAUTH_DEFAULT_RESOURCE must be one of OAUTH_RESOURCES")
        }
        AuthorizerSettings.check(resources, &reader)
        return OAuthSettings(
            clients: clients, resources: resources, defaultResource: standard,
            registration: registration(&reader), documents: documents(&reader),
            accessTokenAlgorithm: algorithm, signs: needs.contains(.sessions),
            ownAudiences: ownAudiences)
    }

    /// Which documents of clients are accepted, by host: nil means any host.
    private enum Documents { case off, of([String]?) }
    private enum DocumentChoice: String, CaseIterable { case off, listed, on }

    /// The hosts of the most common assistants and editors.
    private static let usualHosts = ["claude.ai", "chatgpt.com", "vscode.dev"]

    /// `OAUTH_CLIENT_DOCUMENTS` and `OAUTH_CLIENT_DOCUMENT_HOSTS`.
    private static func documents(_ reader: inout SettingsReader) -> Documents {
        let name = "OAUTH_CLIENT_DOCUMENT_HOSTS"
        let hosts = reader.list(name)
        let areNames = hosts.allSatisfy { host in
            host.utf8.allSatisfy { $0.isLetterOrDigit || $0 == 0x2E || $0 == 0x2D }
        }
        if !areNames { reader.refuse("\(name) must be names such as claude.ai") }
        switch reader.choice("OAUTH_CLIENT_DOCUMENTS", DocumentChoice.self) ?? .off {
        case .off: return .off
        case .on: return .of(nil)
        case .listed: return .of(hosts.isEmpty ? usualHosts : hosts)
        }
    }

    /// Whether the server is only for this machine. Then the documents of its clients may be on
    /// this machine too.
    private static func isLoopback(_ issuer: String) -> Bool {
        RedirectURI(registering: issuer).map { $0.kind == .loopback } ?? false
    }

    private enum Registration: String, CaseIterable { case off, token, open }
    private static let tokenBytesMin = 16

    /// `OAUTH_REGISTRATION` and `OAUTH_REGISTRATION_TOKEN`: who may register clients.
    private static func registration(_ reader: inout SettingsReader) -> ClientRegistration {
        let name = "OAUTH_REGISTRATION_TOKEN"
        let mode = reader.choice("OAUTH_REGISTRATION", Registration.self) ?? .off
        let token = mode == .token ? reader.secret(name)?.reveal() : nil
        switch mode {
        case .off: return .off
        case .open: return .open
        case .token:
            guard let token, token.count >= tokenBytesMin else {
                reader.refuse(
                    "\(name) must have \(tokenBytesMin) bytes or more, for OAUTH_REGISTRATION=token"
                )
                return .off
            }
            return .byToken(hash: SHA256.hash(token))
        }
    }

    // MARK: Lists

    /// The objects of a JSON list. The setting holds the list, the path of a file, or a reference
    /// to a secret.
    private static func objects(
        _ name: String, isSecret: Bool, _ reader: inout SettingsReader
    ) -> [JSONObject] {
        guard let text = reader.text(name) else { return [] }
        let isPath = text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../")
        let bytes: [UInt8]? =
            isPath
            ? reader.file(name)
            : isSecret ? reader.secret(name)?.reveal() : Array(text.utf8)
        guard let bytes else { return [] }
        let (found, place) = list(bytes)
        guard let list = found else {
            // No JSON list ends with `.json`, so a file name was probably meant.
            let isName = text.hasSuffix(".json") && !text.contains(":")
            reader.refuse(
                isPath
                    ? "\(name): \(text) is not a list in JSON\(place)"
                    : "\(name) must be a list in JSON, or the path of a file with one (./… or /…)"
                        + (isName ? "; did you mean ./\(text)?" : place))
            return []
        }
        let objects = list.compactMap(\.objectValue)
        guard objects.count == list.count, objects.count <= clientsMax else {
            reader.refuse("\(name) must be a list of at most \(clientsMax) objects")
            return []
        }
        return objects
    }

    /// The elements of a list in JSON, or `; look at line 8, column 3` if the text has an error.
    private static func list(_ bytes: [UInt8]) -> (elements: [JSON]?, place: String) {
        do throws(JSONFailure) {
            return (try JSON.parse(bytes, limits: limits).arrayValue, "")
        } catch {
            guard let offset = error.offset else { return (nil, "") }
            let before = bytes.prefix(offset)
            let column = before.reversed().prefix { $0 != 0x0A }.count { $0 & 0xC0 != 0x80 } + 1
            let line = before.count { $0 == 0x0A } + 1
            return (nil, "; look at line \(line), column \(column)")
        }
    }

    private static func clients(
        _ reader: inout SettingsReader, _ resources: [ProtectedResource],
        _ algorithms: [Algorithm], own audiences: [String]
    ) -> [Client] {
        let name = "OAUTH_CLIENTS"
        var clients: [Client] = []
        for (index, object) in objects(name, isSecret: true, &reader).enumerated() {
            // The message names the entry by its client ID if it has one, so that it can be found.
            let place =
                object["client_id"]?.stringValue.flatMap { $0.utf8.count < 100 ? $0 : nil }
                ?? "number \(index + 1)"
            do throws(ClientMetadata.Problem) {
                let client = try ClientMetadata(object)
                    .configured(signingIDTokensWith: algorithms)
                for uri in (client.resources ?? []) + [client.introspects].compactMap(\.self)
                where !resources.contains(where: { $0.uri.isSame(as: uri) }) {
                    reader.refuse("\(name): \(place) names a resource that OAUTH_RESOURCES lacks")
                }
                if let problem = ClientMetadata.Problem(
                    unknownScopeOf: client, definedBy: resources)
                {
                    throw problem
                }
                for resource in resources
                where client.isFAPI2 && resource.algorithm == .rs256
                    && client.resources?.contains(where: resource.uri.isSame(as:)) ?? false
                {
                    reader.refuse(
                        "\(name): \(place): the profile fapi2 excludes RS256, the alg of "
                            + resource.uri)
                }
                if clients.contains(where: { $0.id.isSame(as: client.id) }) {
                    reader.refuse("\(name): \(place) occurs twice")
                }
                if audiences.contains(where: client.id.isSame(as:)) {
                    reader.refuse(
                        "\(name): \(place) is an audience that only this server's own tokens have")
                }
                clients.append(client)
            } catch {
                reader.refuse("\(name): \(place): \(error.member) \(error.rule)")
            }
        }
        return clients
    }

    static func resources(
        _ reader: inout SettingsReader, own audiences: [String], _ algorithms: [Algorithm]
    ) -> [ProtectedResource] {
        let name = "OAUTH_RESOURCES"
        var resources: [ProtectedResource] = []
        for (index, object) in objects(name, isSecret: false, &reader).enumerated() {
            guard let uri = object["resource"]?.stringValue, ProtectedResource.isURI(uri) else {
                reader.refuse(
                    "\(name): number \(index + 1): resource must be an https URI without a "
                        + "fragment, or http for this machine")
                continue
            }
            if audiences.contains(where: { uri.isSame(as: $0) }) {
                reader.refuse(
                    "\(name): \(uri) is TOKEN_AUDIENCE or ISSUER, which only tokens for this "
                        + "server have")
            }
            if resources.contains(where: { $0.uri.isSame(as: uri) }) {
                reader.refuse("\(name): \(uri) occurs twice")
            }
            guard let texts = texts(object["name"]), let scopes = scopes(object["scopes"]) else {
                reader.refuse(
                    "\(name): \(uri): name and the scopes must have texts by language, such as "
                        + "{\"en\": \"See your photos\"}")
                continue
            }
            var resource = ProtectedResource(uri: uri, name: texts, scopes: scopes)
            let problems = read(object, algorithms, into: &resource)
            for problem in problems { reader.refuse("\(name): \(uri): \(problem)") }
            resources.append(resource)
        }
        return resources
    }

    private static let resourceMembers = ["resource", "name", "scopes", "alg", "lifetime", "dpop"]
    private static let lifetimes: ClosedRange<Int64> = 60...86_400

    /// Reads how the tokens of the resource are made.
    ///
    /// - Returns: the problems that were found.
    private static func read(
        _ object: JSONObject, _ algorithms: [Algorithm], into resource: inout ProtectedResource
    ) -> [String] {
        var problems = object.members.map(\.name)
            .filter { name in !resourceMembers.contains(where: name.isSame(as:)) }
            .map { "\($0) is not a member\(NearestName.hint($0, among: resourceMembers))" }
        if let value = object["alg"] {
            resource.algorithm = algorithms.first { value.stringValue == $0.rawValue }
            let names = algorithms.map(\.rawValue).joined(separator: " or ")
            if resource.algorithm == nil { problems.append("alg must be \(names)") }
        }
        if let value = object["lifetime"] {
            let seconds = value.int64Value.flatMap { lifetimes.contains($0) ? $0 : nil }
            resource.lifetime = seconds.map { .seconds($0) }
            if seconds == nil {
                problems.append(
                    "lifetime must be \(lifetimes.lowerBound) to \(lifetimes.upperBound) seconds")
            }
        }
        if let value = object["dpop"] {
            resource.requiresProof = value.boolValue ?? false
            if value.boolValue == nil { problems.append("dpop must be true or false") }
        }
        return problems
    }

    private static func texts(_ value: JSON?) -> [String: String]? {
        guard let object = value?.objectValue else { return value == nil ? [:] : nil }
        var texts: [String: String] = [:]
        for (language, text) in object.members {
            guard let text = text.stringValue, (1...200).contains(text.utf8.count) else {
                return nil
            }
            texts[language] = text
        }
        return texts
    }

    /// The value's scopes, in the form of OAuth 2.1 section 1.4.1.
    private static func scopes(_ value: JSON?) -> [ProtectedResource.ScopeWord]? {
        guard let object = value?.objectValue else { return value == nil ? [] : nil }
        var scopes: [ProtectedResource.ScopeWord] = []
        for (word, meaning) in object.members {
            let isWord =
                (1...100).contains(word.utf8.count) && !StandardScope.isOne(word)
                && word.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"\\".utf8.contains($0) }
            guard isWord, let meaning = texts(meaning) else { return nil }
            scopes.append(ProtectedResource.ScopeWord(word: word, meaning: meaning))
        }
        return scopes
    }
}

extension JSONFailure {
    /// The position of the failure in bytes.
    fileprivate var offset: Int? {
        switch self {
        case .tooLarge: nil
        case .tooDeep(let offset), .tooManyMembers(let offset), .notUTF8(let offset),
            .loneSurrogate(let offset), .duplicateName(let offset), .syntax(let offset),
            .trailingBytes(let offset):
            offset
        }
    }
}

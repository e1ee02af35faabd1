internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import HTTP
internal import IdentityProviders
internal import Time

/// `APPLE_*`, `GOOGLE_*` and `OIDC_*`: the trusted identity providers.
struct ProviderSettings: ServicePart {
    var providers: [ProviderConfiguration]
    var appleSecret: AppleClientSecret?
    /// The clients for sign-ins on the pages.
    var web: [WebClient] = []

    /// A client at a provider, for browsers.
    struct WebClient: Sendable {
        let provider: ProviderConfiguration
        let id: String
        let secret: RedirectClient.Secret
    }

    /// nil if no endpoint needs identity providers.
    static func read(
        _ reader: inout SettingsReader, for needs: ServiceNeeds, ageMax: Span,
        _ warnings: inout [LogEvent]
    ) -> ProviderSettings? {
        guard
            !needs.isDisjoint(with: [.identityProviders, .identityProvidersIfAny, .erasure])
        else { return nil }
        let settings = read(&reader, ageMax: ageMax)
        if needs.contains(.identityProviders), settings.providers.isEmpty {
            warnings.append(.noProviderConfigured)
        }
        return settings
    }

    /// The client IDs that the provider's tokens may be for. If none is listed, the client for
    /// browsers is the only one.
    static func clientIDs(_ prefix: String, _ reader: SettingsReader) -> [String] {
        let listed = reader.list("\(prefix)_CLIENT_IDS")
        return listed.isEmpty ? reader.text("\(prefix)_WEB_CLIENT_ID").map { [$0] } ?? [] : listed
    }

    /// A provider without client IDs is not enabled: without an audience check, tokens of any app
    /// would be accepted.
    private static func read(_ reader: inout SettingsReader, ageMax: Span) -> ProviderSettings {
        var found: [ProviderConfiguration] = []
        let appleIDs = clientIDs("APPLE", reader)
        if !appleIDs.isEmpty {
            let issuer = reader.text("APPLE_ISSUER") ?? ProviderConfiguration.appleIssuers[0]
            add("APPLE", to: &found, &reader) { () throws(ProviderConfigurationFailure) in
                try .apple(clientIDs: appleIDs, issuer: issuer)
            }
        }
        let googleIDs = clientIDs("GOOGLE", reader)
        if !googleIDs.isEmpty {
            let issuer = reader.text("GOOGLE_ISSUER") ?? ProviderConfiguration.googleIssuers[0]
            add("GOOGLE", to: &found, &reader) { () throws(ProviderConfigurationFailure) in
                try .google(clientIDs: googleIDs, issuer: issuer)
            }
        }
        for name in reader.list("OIDC_PROVIDERS") {
            // The names after the first two belong to sign-in methods without a provider.
            let taken = [
                "apple", "google", LinkedIdentity.passwordProvider, LinkedIdentity.passkeyProvider,
                LinkedIdentity.guestProvider,
            ]
            guard !taken.contains(name), name != SignInMethod.passwordName,
                !found.contains(where: { $0.name == name })
            else {
                reader.refuse("OIDC_PROVIDERS contains a reserved or duplicate name")
                continue
            }
            // The name becomes part of variable names and of messages.
            guard (1...32).contains(name.utf8.count), name.utf8.allSatisfy(Self.isNameByte) else {
                reader.refuse(explanation(.invalidName, "OIDC"))
                continue
            }
            let prefix = oidcPrefix(name)
            guard let issuer = reader.text("\(prefix)_ISSUER") else {
                reader.refuse("\(prefix)_ISSUER is required, as OIDC_PROVIDERS names it")
                continue
            }
            let clientIDs = clientIDs(prefix, reader)
            add(prefix, to: &found, &reader) { () throws(ProviderConfigurationFailure) in
                try .oidc(name: name, issuer: issuer, clientIDs: clientIDs)
            }
        }
        let seconds = reader.integer("ID_TOKEN_AGE_SECONDS_MAX", 30...86_400)
        let limit = seconds.map(Span.seconds) ?? ageMax
        for index in found.indices { found[index].ageMax = limit }
        let appleSecret = appleSecret(&reader, found)
        return ProviderSettings(
            providers: found, appleSecret: appleSecret,
            web: found.compactMap { webClient(of: $0, appleSecret, &reader) })
    }

    /// `OIDC_ACME_ID` of the provider `acme-id`.
    static func oidcPrefix(_ name: String) -> String {
        "OIDC_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    private static func webClient(
        of provider: ProviderConfiguration, _ appleSecret: AppleClientSecret?,
        _ reader: inout SettingsReader
    ) -> WebClient? {
        let oidcPrefix = Self.oidcPrefix(provider.name)
        let prefix =
            switch provider.kind {
            case .apple: "APPLE"
            case .google: "GOOGLE"
            case .oidc: oidcPrefix
            }
        guard let id = reader.text("\(prefix)_WEB_CLIENT_ID") else { return nil }
        guard provider.clientIDs.contains(where: { $0.isSame(as: id) }) else {
            reader.refuse("\(prefix)_WEB_CLIENT_ID must be one of \(prefix)_CLIENT_IDS")
            return nil
        }
        let secret: RedirectClient.Secret
        switch provider.kind {
        case .apple:
            guard let appleSecret else {
                reader.refuse("APPLE_WEB_CLIENT_ID needs APPLE_PRIVATE_KEY")
                return nil
            }
            secret = .apple(appleSecret)
        case .google:
            guard let text = reader.secret("GOOGLE_CLIENT_SECRET") else {
                reader.refuse("GOOGLE_WEB_CLIENT_ID needs GOOGLE_CLIENT_SECRET")
                return nil
            }
            secret = .text(text)
        case .oidc:
            let text = reader.secret("\(oidcPrefix)_CLIENT_SECRET")
            secret = text.map(RedirectClient.Secret.text) ?? RedirectClient.Secret.none
        }
        return WebClient(provider: provider, id: id, secret: secret)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLowercase || byte.isDigit || byte == 0x2D
    }

    private static func add(
        _ prefix: String, to found: inout [ProviderConfiguration], _ reader: inout SettingsReader,
        _ make: () throws(ProviderConfigurationFailure) -> ProviderConfiguration
    ) {
        do {
            var provider = try make()
            if let keys = reader.file("\(prefix)_JWKS_FILE") {
                provider = try provider.pinned(toJWKS: keys)
            }
            found.append(provider)
        } catch {
            reader.refuse(explanation(error, prefix))
        }
    }

    private static func explanation(
        _ failure: ProviderConfigurationFailure, _ prefix: String
    ) -> String {
        switch failure {
        case .invalidName: "OIDC_PROVIDERS: a name is lower-case letters, digits and hyphens"
        case .invalidIssuer: "\(prefix)_ISSUER must be an https URL (http only for this machine)"
        case .noClientID: "\(prefix)_CLIENT_IDS is required"
        case .invalidClientID: "\(prefix)_CLIENT_IDS contains an invalid client ID"
        case .invalidKeySet: "\(prefix)_JWKS_FILE holds no key that this provider may sign with"
        case .invalidAppleKey:
            "APPLE_TEAM_ID, APPLE_KEY_ID or APPLE_PRIVATE_KEY (a .p8 file) is invalid"
        }
    }

    private static func appleSecret(
        _ reader: inout SettingsReader, _ found: [ProviderConfiguration]
    ) -> AppleClientSecret? {
        guard reader.text("APPLE_PRIVATE_KEY") != nil,
            let key = reader.secret("APPLE_PRIVATE_KEY"),
            let apple = found.first(where: { $0.kind == .apple })
        else { return nil }
        do {
            return try AppleClientSecret(
                teamID: reader.text("APPLE_TEAM_ID") ?? "",
                keyID: reader.text("APPLE_KEY_ID") ?? "", privateKeyPEM: key,
                audience: apple.canonicalIssuer)
        } catch {
            reader.refuse(explanation(error, "APPLE"))
            return nil
        }
    }
}

extension ProviderSettings {
    func install(in services: inout OptionalServices, _ context: ServiceContext) {
        services.identityProviders = gateway(
            context.keySets, transport: context.providerTransport)
    }

    /// The providers for sign-in.
    private func gateway(_ cache: KeySetCache, transport: HTTPTransport) -> IdentityProviderGateway
    {
        let verifier = IdentityVerifier(keys: cache)
        let providers = providers
        let tokenClient = appleTokenClient(verifier, transport)
        return IdentityProviderGateway(
            providers: providers.map(\.name), redirects: redirects(transport),
            verify: { name, token, nonce, now throws(IdentityFailure) in
                guard let provider = providers.first(where: { $0.name.isSame(as: name) }) else {
                    throw .invalidIssuer
                }
                return try verifier.verify(
                    idToken: token, provider: provider, nonce: nonce, now: now)
            },
            exchange: { [apple] code, identity, now in
                guard let tokenClient, identity.provider == apple?.name else {
                    return .notConfigured
                }
                return tokenClient.outcome(of: code, identity, now)
            },
            readNotification: { [apple] payload, now throws(IdentityFailure) in
                guard let apple else { throw .invalidIssuer }
                return try verifier.verify(notification: payload, provider: apple, now: now)
            })
    }
}

extension ProviderSettings {
    fileprivate var apple: ProviderConfiguration? { providers.first { $0.kind == .apple } }

    /// nil without Apple's key.
    fileprivate func appleTokenClient(
        _ verifier: IdentityVerifier, _ transport: HTTPTransport
    ) -> AppleTokenClient? {
        guard let appleSecret, let apple else { return nil }
        return AppleTokenClient(
            provider: apple, secret: appleSecret, transport: transport, verifier: verifier)
    }

    /// The closures that revoke tokens, keyed by provider name.
    func revocation(
        _ cache: KeySetCache, transport: HTTPTransport
    ) -> [String: ErasureServices.Revoke] {
        let client = appleTokenClient(IdentityVerifier(keys: cache), transport)
        guard let client, let apple else { return [:] }
        return [
            apple.name: { token, clientID, now throws(ErasureFailure) in
                do throws(TokenEndpointFailure) {
                    try client.revoke(token, clientID: clientID, now: now)
                } catch {
                    switch error {
                    // Apple no longer knows the token.
                    case .invalidGrant: return
                    case .unreachable, .malformedAnswer: throw .unavailable
                    case .invalidClient, .refused, .otherPerson, .signingFailed: throw .refused
                    }
                }
            }
        ]
    }
}

extension AppleTokenClient {
    fileprivate func outcome(
        of code: String, _ identity: VerifiedIdentity, _ now: Instant
    ) -> CodeExchange {
        do throws(TokenEndpointFailure) {
            let grant = try exchange(authorizationCode: code, for: identity, now: now)
            return .granted(refreshToken: grant.refreshToken)
        } catch {
            switch error {
            case .otherPerson: return .belongsToAnotherUser
            case .unreachable: return .unreachable
            case .invalidGrant, .invalidClient, .refused, .malformedAnswer, .signingFailed:
                return .refused
            }
        }
    }
}

import Synchronization

/// A store, a clock and a provider, and any number of cold processes.
final class ProviderFixture: Sendable {
    /// 2026-01-06T12:00:00Z
    static let noon = Instant(seconds: 1_767_700_800)
    static let appleKeysURL = "https://appleid.apple.com/auth/keys"
    static let googleKeysURL = "https://www.googleapis.com/oauth2/v3/certs"

    let clock: TestClock
    let store: SpyStore
    let provider = FakeProvider()
    private let pauses = Mutex<[Span]>([])
    private let reported = Mutex<[String]>([])
    /// The URLs of the reported failures.
    let failedURLs = Mutex<[String]>([])

    init() {
        let clock = TestClock(Self.noon)
        self.clock = clock
        store = SpyStore(clock: clock.wall)
        provider[Self.appleKeysURL] = .keys([.rsa])
        provider[Self.googleKeysURL] = .keys([.rsa])
    }

    var sleeps: Int { pauses.withLock { $0.count } }
    /// The reports of the caches of all processes, as `provider failure`.
    var reports: [String] { reported.withLock { $0 } }

    /// A new process without cached keys.
    func process(sleep: (@Sendable () -> Void)? = nil) -> IdentityVerifier {
        IdentityVerifier(
            keys: KeySetCache(
                store: store, transport: provider.transport, clock: clock.wall,
                sleep: { span in
                    self.pauses.withLock { $0.append(span) }
                    sleep?()
                },
                report: { provider, url, failure in
                    self.failedURLs.withLock { $0.append(url) }
                    self.reported.withLock { $0.append("\(provider) \(failure.rawValue)") }
                }))
    }

    /// The result of a new process for a token.
    func verify(
        _ token: String, _ configuration: ProviderConfiguration,
        nonce: NonceExpectation = .exactly(nil), by verifier: IdentityVerifier? = nil
    ) -> Result<VerifiedIdentity, IdentityFailure> {
        do {
            return .success(
                try (verifier ?? process()).verify(
                    idToken: token, provider: configuration, nonce: nonce, now: clock.now))
        } catch {
            return .failure(error)
        }
    }
}

extension Result where Failure == IdentityFailure {
    var failure: IdentityFailure? {
        if case .failure(let failure) = self { failure } else { nil }
    }

    var value: Success? {
        if case .success(let value) = self { value } else { nil }
    }
}

/// The providers of these tests, with two client ids each.
enum Configured {
    static let apple = get { () throws(ProviderConfigurationFailure) in
        try .apple(clientIDs: ["com.example.app", "com.example.web"])
    }
    static let google = get { () throws(ProviderConfigurationFailure) in
        try .google(clientIDs: ["app.apps.googleusercontent.com", "web.apps.googleusercontent.com"])
    }
    static let oidc = get { () throws(ProviderConfigurationFailure) in
        try .oidc(name: "acme", issuer: "https://id.example.com", clientIDs: ["acme-client"])
    }

    private static func get(
        _ make: () throws(ProviderConfigurationFailure) -> ProviderConfiguration
    ) -> ProviderConfiguration {
        do { return try make() } catch { fatalError("a test configuration is wrong: \(error)") }
    }
}

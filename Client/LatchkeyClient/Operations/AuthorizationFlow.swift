public import Foundation

/// A sign-in at a provider's page: the code flow of OAuth with PKCE, state and nonce (RFC 9700
/// section 2.1.1). An object can be used for one sign-in, within ten minutes.
public actor AuthorizationFlow {
    /// The challenge of RFC 7636 section 4.2, method S256.
    public nonisolated let codeChallenge: String
    public nonisolated let state: String
    public nonisolated let nonce: String
    nonisolated let codeVerifier: String
    private let redirectURI: String
    private let clock: any SessionClock
    private let end: Duration
    private var isUsed = false

    private static let lifetime = Duration.seconds(600)

    /// - Parameters:
    ///   - redirectURI: the address that the provider redirects to, exactly as registered there.
    ///   - nonce: from ``LatchkeyClient/challenge()``, if the server requires its own nonce.
    ///   - clock: measures the ten minutes.
    ///   - options: provide the source of random bytes.
    public init(
        redirectURI: String, nonce: String? = nil, clock: any SessionClock = SystemClock(),
        options: Options = Options()
    ) {
        self.init(
            redirectURI: redirectURI, nonce: nonce, clock: clock, options: options,
            lifetime: Self.lifetime)
    }

    init(
        redirectURI: String, nonce: String? = nil, clock: any SessionClock, options: Options,
        lifetime: Duration
    ) {
        self.redirectURI = redirectURI
        self.clock = clock
        end = clock.uptime() + lifetime
        codeVerifier = options.randomText(bytes: 32)
        codeChallenge = Base64URL.encode(SHA256.hash(Array(codeVerifier.utf8)))
        state = options.randomText(bytes: 32)
        self.nonce = nonce ?? options.randomText(bytes: 32)
    }

    /// The page to show to the user. Further parameters, such as `prompt`, are added to its URL.
    public nonisolated func pageURL(
        endpoint: URL, clientID: String, scope: String = "openid email profile",
        parameters: [String: String] = [:]
    ) throws(AuthError) -> URL {
        let fields =
            [
                ("response_type", "code"), ("client_id", clientID), ("scope", scope),
                ("redirect_uri", redirectURI), ("state", state), ("nonce", nonce),
                ("code_challenge", codeChallenge), ("code_challenge_method", "S256"),
            ] + parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        var page = URLComponents(url: endpoint, resolvingAgainstBaseURL: true)
        page?.percentEncodedQuery = FormEncoding.text(fields.map { (key: $0.0, value: $0.1) })
        guard let url = page?.url else { throw .unsupported("the URL of the page") }
        return url
    }

    /// Input for the provider's token endpoint, from the URL that the provider has redirected the
    /// user to.
    ///
    /// Throws `refused` if the user or the provider declined, or if the URL belongs to another
    /// sign-in.
    public func exchangeForm(callback: URL, clientID: String) throws(AuthError) -> Data {
        let form = FormEncoding.text([
            (key: "grant_type", value: "authorization_code"),
            (key: "code", value: try code(in: callback)),
            (key: "redirect_uri", value: redirectURI), (key: "client_id", value: clientID),
            (key: "code_verifier", value: codeVerifier),
        ])
        return Data(form.utf8)
    }

    /// The code in the URL that the user was redirected to. After this call the object cannot be
    /// used again.
    func code(in callback: URL) throws(AuthError) -> String {
        let items = URLComponents(url: callback, resolvingAgainstBaseURL: true)?.queryItems ?? []
        func value(_ name: String) -> String? {
            let found = items.filter { $0.name == name }
            return found.count == 1 ? found.first?.value : nil
        }
        guard !isUsed, clock.uptime() < end else { throw Self.refusal("FLOW_EXPIRED") }
        isUsed = true
        guard Self.isEqual(value("state") ?? "", state) else {
            throw Self.refusal("STATE_MISMATCH")
        }
        if let error = value("error") { throw Self.refusal(error) }
        guard let code = value("code") else { throw Self.refusal("NO_CODE") }
        return code
    }

    private static func refusal(_ code: String) -> AuthError {
        .refused(Refusal(status: 0, code: code))
    }

    /// Compares in constant time.
    private static func isEqual(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

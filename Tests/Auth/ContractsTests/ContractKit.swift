import FunctionRuntime

/// Serves a contract in this process with the real operations.
struct ContractKit {
    let clock = TestClock()
    let random = RandomSource.seeded(1)
    let fake = FakeIdentityProviders()
    let contract: Contract
    let auth: AuthServices

    /// Access tokens are HS256, which is faster; the contract's other formats are unchanged.
    init(
        _ contract: Contract, store: (any KeyValueStore)? = nil, mail: FakeMailSystem? = nil,
        previews: MailPreviews? = nil, housekeepingInterval: Span? = nil,
        settings: [String: DeploymentSetting] = [:],
        settingsFiles: SettingsFiles = SettingsFiles(), isServer: Bool = false,
        hooks: [HookKind] = []
    ) throws {
        var policy = contract.policy
        policy.accessTokens.algorithm = .hs256
        if previews != nil || mail != nil {
            policy.links = LinkPolicy(base: "https://app.example.com")
        }
        self.contract = contract
        guard let master = MasterKey(SecretBytes([UInt8](repeating: 7, count: 32))),
            let bucket = BucketName(parsing: "photos")
        else { throw AuthError.fault(.signingFailed) }
        let storage = StorageServices(
            place: StoragePlace(
                bucket: bucket, region: "eu-central-1", partition: "aws",
                prefixTemplate: "users/{userId}/", endpoint: nil),
            broker: StorageBroker { grant, now throws(StorageFailure) in
                StorageKeys(
                    accessKeyID: "ASIAEXAMPLE", secretAccessKey: SecretBytes(utf8: "secret"),
                    sessionToken: SecretBytes(utf8: "session"), expiresAt: now + grant.lifetime)
            })
        let secret = SecretBytes([UInt8](repeating: 42, count: 32))
        var optional = OptionalServices(
            secrets: try AuthServices.Secrets(
                master, policy.sessions.refreshTokens, random: random),
            identityProviders: fake.gateway, storage: storage,
            adminPassword: AdminPassword(hash: Self.adminPasswordHash),
            auditKeys: AuditKeys(master.audit))
        optional.housekeepingInterval = housekeepingInterval
        if isServer { optional.activity = Activity(random: random) }
        optional.findSetting = { name, _ in settings[name] }
        optional.settingsFiles = settingsFiles
        optional.passkeys = try .testing()
        if !hooks.isEmpty {
            optional.hooks = HookServices(
                hooks.map { HookServices.Hook($0, failsOpen: true) { _ in [] } })
        }
        if let mail {
            optional.mail = MailServices(
                sealing: try master.sealing { $0.mail }, sender: mail.sender,
                delivery: .afterReply, previews: previews, report: { mail.report($0) })
        }
        auth = AuthServices(
            store: store ?? MemoryStore(clock: clock.wall), clock: clock.wall, random: random,
            policy: policy, issuer: "https://auth.example.com",
            signingKeys: try SigningKeys(configured: try .secret(secret)), optional)
    }

    /// The hash of "open sesame", at the minimum cost.
    static let adminPasswordHash =
        "$argon2id$v=19$m=8,t=1,p=1$bGF0Y2hrZXkgZXhhbXBsZQ"
        + "$S98W7zt14jyU9Q1jzWNDQIoLVJqiVtNigBTKewZgU7w"

    /// - Parameter served: the operations of one function; nil means all of the contract.
    func send(_ request: Request, to served: [AuthOperation]? = nil) -> Router.Outcome? {
        let endpoints = contract.endpoints.filter { served?.contains($0.operation) ?? true }
        guard !endpoints.isEmpty else { return nil }
        return Router(contract, serving: endpoints, auth).outcome(of: request)
    }

    func http(
        _ method: String, _ path: String, _ body: String = "",
        query: [(name: String, value: String)] = [], bearer: String? = nil,
        type: String? = "application/json", headers: [HTTPHeader] = [],
        cookies: [(name: String, value: String)] = [], to served: [AuthOperation]? = nil
    ) -> Answer {
        var headers = headers
        if let type { headers.append(HTTPHeader("content-type", type)) }
        if let bearer { headers.append(HTTPHeader("authorization", "Bearer \(bearer)")) }
        let request = Request(
            method: method, path: path, query: query, headers: headers, cookies: cookies,
            body: Array(body.utf8), sourceAddress: "192.0.2.1", userAgent: "Test",
            requestID: "1")
        return send(request, to: served)?.answer ?? Answer(0, nil)
    }

    /// Sends a form as a browser does.
    func submit(
        _ path: String, _ fields: [(String, String)], bearer: String? = nil,
        site: String? = "same-origin", cookies: [(name: String, value: String)] = []
    ) -> Answer {
        http(
            "POST", path, PercentEncoding.form(fields), bearer: bearer,
            type: "application/x-www-form-urlencoded",
            headers: site.map { [HTTPHeader("sec-fetch-site", $0)] } ?? [], cookies: cookies)
    }

    func direct(_ payload: JSONObject, to served: [AuthOperation]) -> Answer {
        send(Request(form: .direct, payload: payload, requestID: "1"), to: served)?.answer
            ?? Answer(0, nil)
    }

    /// The cookies of an administrator who has signed in with the password.
    func administratorCookies() -> [(name: String, value: String)] {
        http("POST", "/auth/admin/login", #"{"password":"open sesame"}"#)
            .cookies.map { ($0.name, $0.value) }
    }

    /// A new account, with the ID and an access token.
    func user(
        _ subject: String, email: String? = nil, isVerified: Bool = true, name: String? = nil
    ) throws -> (id: String, token: String) {
        clock.advance(by: .seconds(20))
        let answer = signedIn(
            FakeIdentity {
                $0.subject = subject
                $0.email = email ?? "\(subject)@example.com"
                $0.isEmailVerified = isVerified
                $0.displayName = name
            })
        return (
            try #require(answer["user"]?["id"]?.stringValue),
            try #require(answer["accessToken"]?.stringValue)
        )
    }

    /// The response of a sign-in with a new identity token.
    func signedIn(
        path: String = "/auth/signin", _ identity: FakeIdentity = FakeIdentity()
    ) -> Answer {
        let token = Hex.encode(random.bytes(8))
        fake.add(token, identity)
        return http(
            "POST", path, "{\"provider\":\"\(identity.provider)\",\"idToken\":\"\(token)\"}")
    }
}

extension Answer {
    var json: JSON? {
        guard case .json(let json)? = body else { return nil }
        return json
    }
    /// The page in the body.
    var text: String {
        guard case .text(let text, _)? = body else { return "" }
        return text
    }
    /// The hidden token of the page's forms.
    var formToken: String {
        get throws {
            String(try #require(text.firstMatch(of: /name="form" value="([^"]+)"/)?.1))
        }
    }

    var location: String? { value("location") }

    /// The values of a header, joined.
    func value(_ name: String) -> String? {
        let values = headers.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    var members: [String] { json?.objectValue?.members.map(\.name) ?? [] }
    subscript(name: String) -> JSON? { json?[name] }
    var code: String? { json?["error"]?["code"]?.stringValue ?? json?["code"]?.stringValue }
}

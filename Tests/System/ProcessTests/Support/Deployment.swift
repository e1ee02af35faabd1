import AuthTestSupport
import SQLiteStore
import TestSupport

/// The functions as deployed by an operator: a directory, settings in the environment, an identity
/// provider whose keys are in a file.
struct Deployment: Sendable {
    let folder: TemporaryFolder
    var settings: [(name: String, value: String)]
    private let provider: SigningKey
    /// nil for the SQLite file.
    var remoteStore: (any KeyValueStore)?

    static let databaseName = "latchkey.db"
    /// All files that may be in the directory.
    private static let names = [
        "jwks.json", databaseName, "\(databaseName)-shm", "\(databaseName)-wal",
        "\(databaseName)-lock", "\(databaseName).key",
    ]

    /// By default the state is in `latchkey.db` in the directory.
    init(_ settings: [(name: String, value: String)] = []) throws {
        folder = try TemporaryFolder()
        provider = try SigningKey.generate(.es256, random: .system)
        let publicKey = try #require(provider.publicJWK)
        let keySet: JSON = ["keys": .array([.object(publicKey)])]
        try folder.write(keySet.serialized, to: "jwks.json")
        self.settings =
            settings + [
                ("OIDC_PROVIDERS", "acme"), ("OIDC_ACME_ISSUER", "https://id.example.com"),
                ("OIDC_ACME_CLIENT_IDS", "acme-app"),
                ("OIDC_ACME_JWKS_FILE", folder.file("jwks.json")),
                ("STORE", "sqlite:\(folder.file(Self.databaseName))"),
            ]
    }

    func with(_ name: String, _ value: String) -> Deployment {
        var deployment = self
        deployment.settings.append((name, value))
        return deployment
    }

    /// `function` with a request of an HTTP API, without a source address, so that limits per
    /// address do not apply.
    func command(_ function: String, _ body: JSON = [:], bearer: String? = nil) -> Command {
        var command = eventless(function)
        command.input = .bytes(Self.event(function, body, bearer: bearer).serialized)
        return command
    }

    /// `function` without an event.
    func eventless(_ function: String) -> Command {
        var command = Command(BuiltExecutables.path(of: function))
        command.environment = settings
        command.folder = folder
        return command
    }

    func run(_ function: String, _ body: JSON = [:], bearer: String? = nil) throws -> Answer {
        try Answer(ChildProcess.run(command(function, body, bearer: bearer)))
    }

    /// Starts all of them, waits until each has read its event, then lets all continue.
    func race(_ commands: [Command]) throws -> [ProcessResult] {
        let racers = try commands.map { command in
            var waiting = command
            waiting.input = .stream
            return try ChildProcess(waiting)
        }
        for (racer, command) in zip(racers, commands) {
            guard case .bytes(let event) = command.input else { continue }
            _ = racer.send(String(decoding: event, as: UTF8.self))
        }
        for racer in racers { _ = racer.waitUntilInputIsRead() }
        for racer in racers { racer.endInput() }
        return racers.map { $0.wait() }
    }

    static func event(_ function: String, _ body: JSON, bearer: String? = nil) -> JSON {
        let (method, path) = routes[function] ?? ("POST", "/auth/\(function)")
        var headers: JSONObject = ["content-type": "application/json"]
        headers["authorization"] = bearer.map { .string("Bearer \($0)") }
        return [
            "version": "2.0", "rawPath": .string(path), "rawQueryString": "",
            "headers": .object(headers),
            "requestContext": [
                "http": ["method": .string(method), "path": .string(path)], "stage": "$default",
            ],
            "body": .string(body.text), "isBase64Encoded": false,
        ]
    }

    private static let routes = [
        "keys": ("GET", "/.well-known/jwks.json"), "me": ("GET", "/auth/me"),
    ]
}

// MARK: Users

extension Deployment {
    /// A new identity token each time.
    func idToken(of subject: String, nonce: String? = nil) throws -> String {
        let now = WallClock.system.now().seconds
        var claims: JSONObject = [
            "iss": "https://id.example.com", "aud": "acme-app", "sub": .string(subject),
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 300)),
            "jti": .string(Hex.encode(RandomSource.system.bytes(8))),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        return try JWT.sign(claims, with: provider, type: "JWT", includesKeyID: true)
    }

    func signInBody(of subject: String, nonce: String? = nil) throws -> JSON {
        var body: JSONObject = [
            "provider": "acme", "idToken": .string(try idToken(of: subject, nonce: nonce)),
        ]
        body["nonce"] = nonce.map { .string($0) }
        return .object(body)
    }

    func signIn(_ subject: String = "ada") throws -> SignedIn {
        try SignedIn(run("signin", signInBody(of: subject)))
    }

    func refresh(_ token: String) throws -> Answer { try run("refresh", Self.refreshBody(token)) }

    static func refreshBody(_ token: String) -> JSON { ["refreshToken": .string(token)] }
}

/// The tokens and the user of a client after a sign-in or a refresh.
struct SignedIn: Sendable {
    let refreshToken: String
    let accessToken: String
    let user: UserID
    let session: SessionID

    init(_ answer: Answer) throws {
        try #require(answer.status == 200, "\(answer.errorText)")
        try self.init(
            refreshToken: try #require(answer.body["refreshToken"]?.stringValue),
            accessToken: try #require(answer.body["accessToken"]?.stringValue))
    }

    init(refreshToken: String, accessToken: String) throws {
        self.refreshToken = refreshToken
        self.accessToken = accessToken
        let payload = try #require(accessToken.split(separator: ".").dropFirst().first)
        let claims = try JSON.parse(try #require(Base64URL.decode(payload)), limits: .request)
        user = try #require(claims["sub"]?.stringValue.flatMap(UserID.init(parsing:)))
        session = try #require(claims["sid"]?.stringValue.flatMap(SessionID.init(parsing:)))
    }
}

// MARK: State

extension Deployment {
    /// Unexpected files in the directory.
    var strayNames: [String] { folder.names.filter { !Self.names.contains($0) } }

    var database: String { folder.file(Self.databaseName) }

    func store() throws -> any KeyValueStore {
        if let remoteStore { return remoteStore }
        return try SQLiteStore(path: database, clock: .system)
    }

    /// The session's row, nil if it has ended.
    func family(of client: SignedIn) throws -> Session? {
        let key = StoreLayout.session(client.session, of: client.user)
        return try store().get(key).map {
            try SessionRecord.session($0, id: client.session, user: client.user)
        }
    }

    /// How often an event was recorded for a user.
    func auditCount(_ event: AuditEvent, of user: UserID) throws -> Int {
        try store().query(PartitionQuery("AUDIT#\(user.text)", limit: 1000)).items
            .filter { $0.attributes["event"] == .text(event.rawValue) }.count
    }

    /// The result of an integrity check by Python's SQLite; `ok` if intact.
    func verdictOfPython() throws -> String {
        let check = """
            import sqlite3, sys
            print(sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchall())
            """
        var command = Command("/usr/bin/env", ["python3", "-c", check, database])
        command.environment = [("PATH", "/usr/local/bin:/usr/bin:/bin")]
        return try ChildProcess.run(command).text
    }

    static let verdictIfSound = "[('ok',)]\n"
}

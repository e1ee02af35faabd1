import BaseTestSupport
import EmulatorReplay
import Foundation

/// A live session with `Programs/session.py`, recorded and replayed.
@Suite("Recorder") struct RecorderTests {
    private final class Session {
        let bench: FixtureWorkspace
        let recording: RecordingFolder
        var said: [String] = []
        private let directory: TemporaryFolder

        init() throws {
            bench = try FixtureWorkspace()
            try bench.installSession()
            directory = try TemporaryFolder()
            recording = RecordingFolder(
                bench.events, Recorder(settings: FixtureSettings(), clock: .system),
                FixtureSettings())
        }

        @discardableResult
        func ask(
            _ method: String, _ path: String, _ body: JSON? = nil, bearer: String? = nil
        ) throws -> JSON {
            var headers: JSONObject = ["host": "api.example.com"]
            headers["authorization"] = bearer.map { .string("Bearer \($0)") }
            var event: JSONObject = [
                "version": "2.0", "routeKey": "$default", "rawPath": .string(path),
                "headers": .object(headers),
                "requestContext": [
                    "http": ["method": .string(method)], "timeEpoch": .number(said.count),
                    "requestId": .string("request-\(said.count)"),
                ],
            ]
            event["body"] = body.map { .string($0.text) }
            var command = Command("\(bench.executables)/session")
            command.input = .bytes(event.serialized)
            command.environment = [
                ("PATH", ProcessInfo.processInfo.environment["PATH"] ?? ""),
                // As for every function that the emulator runs.
                ("AWS_ENDPOINT_URL", "http://127.0.0.1:9"),
            ]
            let result = try ChildProcess(command.working(in: directory)).wait(secondsMax: 60)
            try #require(result.end == .exit(0), "\(result.end): \(result.errorText)")
            said.append(
                recording.record(
                    function: "session", event: event.serialized, response: result.output))
            let answer = try JSON.parse(result.output, limits: .event)
            return try JSON.parse(answer["body"]?.stringValue ?? "", limits: .event)
        }

        /// The contents of all written files.
        func written() throws -> String {
            try FileManager.default.contentsOfDirectory(atPath: "\(bench.events)/session")
                .map { try bench.read("Events/session/\($0)") }.joined()
        }
    }

    private func text(_ json: JSON, _ name: String) throws -> String {
        try #require(json[name]?.stringValue)
    }

    @Test func `credentials that contain their endpoint replay with another endpoint`() throws {
        let session = try Session()
        let login = try session.ask("POST", "/login", ["email": "ada@lovelace.org"])
        let keys = try session.ask("GET", "/keys", bearer: try text(login, "accessToken"))
        expectEqual(keys["endpoint"], "http://127.0.0.1:9")
        expectEqual(session.bench.replay(), 0)
        expectEqual(session.bench.text, "2 passed, 0 failed")
        let secret = try text(try #require(keys["credentials"]), "secretAccessKey")
        #expect(try !session.written().contains(secret))
    }

    @Test(arguments: [
        (#"{"headers":{"authorization":"Bearer abcdefghijklmnop"}}"#, "its header authorization"),
        (#"{"headers":{"Cookie":"session=abcdefghijklmnop"}}"#, "its header cookie"),
        (#"{"cookies":["a=b"],"headers":{}}"#, "its header cookie"),
        (#"{"body":"{\"password\":\"hunter2\"}"}"#, "password"),
        (#"{"body":"{\"a\":{\"refreshToken\":\"somebody-elses\"}}"}"#, "refreshToken"),
        (#"{"body":"grant_type=x&code=y"}"#, "a form"),
        (#"{"body":"/w==","isBase64Encoded":true}"#, "not text"),
        (#"{"body":"{\"token\":\"e30.e30.AA\"}"}"#, "token"),
        (#"{"rawQueryString":"mail=a%40b.org"}"#, "address"),
        (#"{"rawPath":"/x/e30.e30.AA"}"#, "token"),
    ])
    func `an event with a secret of unknown origin is not recorded, with the reason`(
        _ members: String, _ reason: String
    ) throws {
        var event = try #require(
            try JSON.parse(
                #"{"requestContext":{"http":{"method":"POST"}},"rawPath":"/x"}"#,
                limits: .event
            ).objectValue)
        for (name, value) in try #require(
            try JSON.parse(members, limits: .event).objectValue
        ).members { event[name] = value }
        let recording = Recorder(settings: FixtureSettings(), clock: .system).record(
            function: "f", event: event.serialized, response: Array(#"{"statusCode":200}"#.utf8))
        guard case .leftOut(let why) = recording else {
            Issue.record("it was recorded")
            return
        }
        #expect(why.contains(reason))
        #expect(!why.contains("hunter2"))
    }

    private static func note(
        _ method: String, _ id: String, status: Int64 = 200, _ answer: JSON = ["text": "Hello"],
        by recorder: Recorder, headers: JSON = [:], request: String = "", body: String = "Hello"
    ) throws -> RecordedFixture {
        let event = try ShortEvent.expanded(
            [
                "request": .string("\(method) \(request)/notes/\(id)"), "headers": headers,
                "route": .string("\(method) /notes/{id}"),
                "body": .string(method == "GET" ? "" : body),
            ])
        var response: JSONObject = ["statusCode": .number(status)]
        for (name, value) in answer.objectValue?.members ?? [] { response[name] = value }
        if response["body"] == nil { response["body"] = .string(answer.text) }
        let recording = recorder.record(
            function: "f", event: event.serialized, response: response.serialized)
        guard case .fixture(let fixture) = recording else { throw FixtureFailure("\(recording)") }
        return fixture
    }

    @Test func `the steps of a request are the changes at its path since the last PUT`() throws {
        let recorder = Recorder(settings: FixtureSettings(), clock: .system)
        for (method, id, status) in [
            ("PUT", "a", 200), ("PUT", "a", 201), ("PUT", "b", 201), ("PATCH", "a", 202),
            ("PATCH", "a", 409),
        ] { _ = try Self.note(method, id, status: Int64(status), by: recorder) }
        let fixture = try Self.note("GET", "a", by: recorder)
        expectEqual(fixture.steps, [1, 3])
        expectEqual(
            fixture.given?["steps"]?.arrayValue?.map { $0["request"] },
            ["PUT /notes/a", "PATCH /notes/a"])
        expectEqual(try Self.note("GET", "c", by: recorder).given, nil)
    }

    @Test func `added steps name people as the fixture does, until a restart`() throws {
        let recorder = Recorder(settings: FixtureSettings(), clock: .system)
        for name in ["ada", "eve"] {
            let body = #"{"email":"\#(name)@example.org"}"#
            _ = try Self.note("POST", name, by: recorder, body: body)
        }
        let fixture = try Self.note("GET", "c", ["email": "eve@example.org"], by: recorder)
        func steps() -> [JSON] { recorder.steps(of: fixture, repeating: [0, 1]).map(\.json) }
        expectEqual(
            steps().map { $0["body"]?["email"]?.stringValue },
            ["person-2@example.com", "person-1@example.com"])
        recorder.restart()
        expectEqual(steps(), [])
    }

    @Test(arguments: [
        ("{}", "{}", "GET /notes/a"),
        // What a function made of the address would be another one in a replay.
        (#"{"url": "http://127.0.0.1:41111/notes/a"}"#, "{}", nil),
        ("{}", #"{"origin": "http://127.0.0.1:41111"}"#, nil),
        // Over HTTPS it may be another cookie or page.
        (#"{"cookies": ["a=b"]}"#, "{}", nil),
        (#"{"headers": {"Content-Type": "text/html; charset=utf-8"}, "body": "<p>"}"#, "{}", nil),
    ])
    func `the emulator's own address is omitted if no answer depends on it`(
        _ answer: String, _ headers: String, _ request: String?
    ) throws {
        let own = "http://127.0.0.1:41111"
        for (hosts, expected) in [(["127.0.0.1:41111"], request), (["127.0.0.1:8000"], nil)] {
            let fixture = try Self.note(
                "GET", "a", JSON.parse(answer, limits: .event),
                by: Recorder(settings: FixtureSettings(), ownHosts: hosts, clock: .system),
                headers: JSON.parse(headers, limits: .event), request: own)
            expectEqual(
                fixture.event["request"], .string(expected ?? "GET \(own)/notes/a"), "\(hosts)")
        }
    }

    private func idToken(_ claims: JSON) -> String {
        let header: JSON = ["alg": "RS256", "kid": "k"]
        return [header, claims].map { Base64URL.encode($0.serialized) }.joined(separator: ".")
            + ".c2lnbmF0dXJl"
    }

    @Test func `an ID token becomes a recipe of its claims without its signature`() throws {
        let nonce = "a-nonce-that-the-caller-made"
        let token = idToken([
            "iss": "https://accounts.google.com", "aud": "client", "sub": "110169484474386276334",
            "email": "grace@hopper.org", "name": "Grace Hopper", "iat": 1_800_000_000,
            "exp": 1_800_003_600, "nonce": .string(Hex.encode(SHA256.hash(utf8: nonce))),
            "hd": "hopper.org",
        ])
        let recorder = Recorder(
            settings: FixtureSettings(), clock: .fixed(at: Instant(seconds: 1_800_000_100)))
        let body: JSON = ["idToken": .string(token), "nonce": .string(nonce)]
        let event: JSON = [
            "requestContext": ["http": ["method": "POST"]], "rawPath": "/auth/signin",
            "body": .string(body.text),
        ]
        let answer: JSON = ["email": "grace@hopper.org", "name": "Grace Hopper"]
        let recording = recorder.record(
            function: "signin", event: event.serialized,
            response: JSON.object(["statusCode": 200, "body": .string(answer.text)]).serialized)
        guard case .fixture(let fixture) = recording else {
            Issue.record("it was not recorded: \(recording)")
            return
        }
        expectEqual(fixture.name, "signin/post-auth-signin-200")
        expectEqual(fixture.event["body"], #"{"idToken":"<idToken>","nonce":"<nonce2>"}"#)
        expectEqual(
            fixture.response["body"], ["email": "person-1@example.com", "name": "Person 2"])
        let recipe = try #require(fixture.given?["idTokens"]?["idToken"])
        expectEqual(recipe["provider"], "google")
        expectEqual(recipe["claims"]?["nonce"], "sha256:<nonce2>")
        expectEqual(recipe["claims"]?["email"], "person-1@example.com")
        expectEqual(recipe["claims"]?["given_name"], .null)
        expectEqual(recipe["claims"]?["hd"], "hopper.org")
        expectEqual(recipe["claims"]?["exp"], nil)
        let text = fixture.event.text + fixture.response.text + (fixture.given?.text ?? "")
        for secret in ["c2lnbmF0dXJl", "110169484474386276334", "grace@", "Grace Hopper", nonce] {
            #expect(!text.contains(secret))
        }
    }

    @Test func `the times of a past event are recorded relative to the event`() throws {
        let token = idToken([
            "iss": "https://appleid.apple.com", "sub": "001234.abc", "exp": 1_800_003_600,
        ])
        func event(_ path: String, _ body: JSON) -> [UInt8] {
            let event: JSON = [
                "requestContext": ["http": ["method": "POST"]], "rawPath": .string(path),
                "body": .string(body.text),
            ]
            return event.serialized
        }
        let signedIn: JSON = ["refreshToken": "a-refresh-token-0001"]
        let answer: JSON = ["statusCode": 200, "body": .string(signedIn.text)]
        // Long after the ID token has expired.
        let recorder = Recorder(
            settings: FixtureSettings(), clock: .fixed(at: Instant(seconds: 1_900_000_000)))
        recorder.remember(
            function: "signin", event: event("/auth/signin", ["idToken": .string(token)]),
            response: answer.serialized, at: Instant(seconds: 1_800_000_100))
        // An invalid response is not remembered.
        recorder.remember(
            function: "signin", event: [], response: [], at: Instant(seconds: 1_800_000_100))
        let recording = recorder.record(
            function: "refresh", event: event("/auth/refresh", signedIn),
            response: Array(#"{"statusCode":200,"body":"{}"}"#.utf8),
            at: Instant(seconds: 1_800_000_200))
        guard case .fixture(let fixture) = recording else {
            Issue.record("it was not recorded: \(recording)")
            return
        }
        expectEqual(fixture.name, "refresh/post-auth-refresh-200")
        expectEqual(fixture.given?["steps"]?.arrayValue?.count, 1)
        let recipe = try #require(fixture.given?["idTokens"]?["idToken"])
        expectEqual(recipe["fault"], nil)
    }

    @Test func `recorded settings hide secrets, and keep values with similar names`() {
        let settings = RecordingSettings(
            environment: [
                ("PASSKEY_ORIGINS", "android:apk-key-hash:abc"), ("KEY_ROTATION_DAYS", "17"),
                ("JWT_SECRET", "s3cret"), ("HOOK_SECRET", "whsec_s3cret"),
            ],
            identityURL: "http://127.0.0.1:8000/_idp",
            breachesURL: "http://127.0.0.1:8000/_breaches", hasExecutables: false)
        #expect(settings.text.contains(#""PASSKEY_ORIGINS": "android:apk-key-hash:abc""#))
        #expect(settings.text.contains(#""KEY_ROTATION_DAYS": "17""#))
        #expect(settings.text.contains(#""HOOK_SECRET": "whsec_"#))
        #expect(!settings.text.contains("s3cret"))
    }

    @Test(arguments: [(1_800_000_100, false), (1_800_003_600, true)])
    func `a refused ID token is recorded only if its age explains the refusal`(
        _ now: Int64, _ isRecorded: Bool
    ) {
        let token = idToken([
            "iss": "https://appleid.apple.com", "sub": "001234.abc", "exp": 1_800_003_600,
        ])
        let event: JSON = [
            "requestContext": ["http": ["method": "POST"]], "rawPath": "/auth/signin",
            "body": .string(JSON.object(["idToken": .string(token)]).text),
        ]
        let recording = Recorder(
            settings: FixtureSettings(), clock: .fixed(at: Instant(seconds: now))
        )
        .record(
            function: "signin", event: event.serialized,
            response: Array(#"{"statusCode":401,"body":"{}"}"#.utf8))
        switch recording {
        case .fixture(let fixture):
            #expect(isRecorded)
            expectEqual(fixture.given?["idTokens"]?["idToken"]?["fault"], "expired")
        case .leftOut, .duplicate: #expect(!isRecorded)
        }
    }
}

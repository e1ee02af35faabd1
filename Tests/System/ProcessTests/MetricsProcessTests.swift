import BaseTestSupport
import Foundation

/// The metrics of functions, read by independent parsers.
@Suite("Metrics, with real processes", .hangLimit)
struct MetricsProcessTests {
    private static func deployment(_ settings: (name: String, value: String)...) throws
        -> Deployment
    {
        try Deployment(
            [
                ("OMITTED_FUNCTIONS", "credentials,admin-login"),
                ("MAIL_URL", "smtp://127.0.0.1:9"),
                ("MAIL_FROM", "no-reply@example.com"), ("LINK_BASE", "https://app.example.com"),
            ] + settings)
    }

    /// The metrics of a function that listens, from their own address.
    private func scrape(_ server: HTTPProcess) throws -> [String: JSON] {
        let client = try LoopbackClient(port: try server.port(of: "metrics_listening"))
        client.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try #require(client.answer())
        expectEqual(answer.status, 200)
        expectEqual(
            answer.header("content-type"),
            "application/openmetrics-text; version=1.0.0; charset=utf-8")
        return try MetricsJudge.read(answer.body, as: .openmetrics)
    }

    /// After the requests of the next test.
    private static let counted: [String: JSON] = [
        "latchkey_operations_total{operation=challenge,outcome=answered}": 2,
        "latchkey_operations_total{operation=challenge,outcome=refused}": 1,
        "latchkey_operations_total{operation=refresh,outcome=answered}": 2,
        "latchkey_operations_total{operation=signIn,outcome=answered}": 1,
        "latchkey_operations_total{operation=unrouted,outcome=refused}": 2,
        "latchkey_operation_duration_seconds_count{operation=refresh}": 3,
        "latchkey_operation_duration_seconds_bucket{le=+Inf,operation=refresh}": 3,
        "latchkey_sign_ins_total{method=acme}": 1,
        "latchkey_refusals_total{reason=noSuchRoute}": 2,
        "latchkey_refusals_total{reason=missing.idToken}": 1,
        "latchkey_refusals_total{reason=rateLimited}": 1,
        "latchkey_refusals_total{reason=refreshTokenRejected.reusedOlder}": 1,
        "latchkey_refresh_token_reuses_total{token=older}": 1,
        "latchkey_refresh_token_reuses_total{token=previous}": 0,
        "latchkey_rate_limited_total{operation=challenge}": 1,
        "latchkey_http_connections{}": 1,
        "latchkey_http_connections_accepted_total{}": 1,
        "latchkey_http_requests_total{}": 10,
        "latchkey_http_requests_in_flight{}": 0,
    ]

    @Test func `a server counts what its clients do`() throws {
        let deployment = try Self.deployment(
            ("METRICS_LISTEN", "127.0.0.1:0"), ("RATE_LIMITS", "challenge.address=2/86400"))
        let server = try HTTPProcess("latchkey", in: deployment)
        let client = try server.client()
        func post(_ path: String, _ body: JSON) throws -> (status: Int, body: JSON) {
            client.send(HTTPProcess.post(path, body.text))
            let answer = try #require(client.answer())
            return (answer.status, try JSON.parse(answer.body, limits: .event))
        }
        for status in [200, 200, 429] {
            try expectEqual(post("/auth/challenge", [:]).status, status)
        }
        let signedIn = try post("/auth/signin", deployment.signInBody(of: "ada"))
        let first = try #require(signedIn.body["refreshToken"]?.stringValue)
        let refreshed = try post("/auth/refresh", ["refreshToken": .string(first)])
        let second = try #require(refreshed.body["refreshToken"]?.stringValue)
        try expectEqual(post("/auth/refresh", ["refreshToken": .string(second)]).status, 200)
        // Replaced twice.
        try expectEqual(post("/auth/refresh", ["refreshToken": .string(first)]).status, 401)
        try expectEqual(post("/auth/signin", ["provider": "acme"]).status, 400)
        try expectEqual(post("/nothing", [:]).status, 404)
        // Not at the address of the function.
        client.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.status, 404)

        var metrics = try scrape(server)
        // A client can receive a response before the server has counted it.
        for _ in 0..<500 {
            let inFlight = metrics["latchkey_http_requests_in_flight{}"]?.numberValue
            if inFlight.flatMap({ Double($0.text) }) == 0 { break }
            usleep(10_000)
            metrics = try scrape(server)
        }
        for (name, value) in Self.counted {
            let found = metrics[name]?.numberValue.flatMap { Double($0.text) }
            expectEqual(found, value.numberValue.flatMap { Double($0.text) }, "\(name)")
        }
        let writes = metrics["latchkey_store_duration_seconds_count{call=write,store=sqlite}"]
        #expect(writes?.numberValue.flatMap { Double($0.text) } ?? 0 >= 4)
        let memory = metrics["process_resident_memory_bytes{}"]?.numberValue
        #expect(memory.flatMap { Double($0.text) } ?? 0 > 1_000_000)
        expectEqual(server.end().end, .exit(0))
    }

    @Test func `client input creates no time series`() throws {
        let deployment = try Self.deployment(("METRICS_LISTEN", "127.0.0.1:0"))
        let server = try HTTPProcess("latchkey", in: deployment)
        let client = try server.client()
        func send(_ numbers: Range<Int>) {
            for number in numbers {
                client.send(
                    HTTPProcess.post(
                        "/auth/signin", #"{"provider":"p\#(number)","idToken":"t\#(number)"}"#))
                _ = client.answer()
                client.send("GET /n\(number)?q=\(number) HTTP/1.1\r\nHost: h\(number)\r\n\r\n")
                _ = client.answer()
                client.send(
                    HTTPProcess.post("/auth/refresh", #"{"refreshToken":"lkr_\#(number)"}"#))
                _ = client.answer()
            }
        }
        send(0..<3)
        let before = try scrape(server).keys.sorted()
        send(3..<20)
        try expectEqual(scrape(server).keys.sorted(), before)
    }

    @Test func `rules, dashboard and documents refer to existing metrics`() throws {
        let server = try HTTPProcess(
            "latchkey", in: try Self.deployment(("METRICS_LISTEN", "127.0.0.1:0")))
        var names: Set = ["up"]
        for (name, type) in try scrape(server) where name.hasPrefix("# ") {
            let family = String(name.dropFirst(2))
            switch type.stringValue {
            case "counter": names.insert("\(family)_total")
            case "histogram":
                names.formUnion(["bucket", "count", "sum"].map { "\(family)_\($0)" })
            default: names.insert(family)
            }
        }
        #expect(names.count > 20)
        for (file, format) in [
            ("docs/monitoring/latchkey.rules.yml", MetricsJudge.Format.rules),
            ("docs/monitoring/grafana.json", .dashboard),
        ] {
            let text = try text(of: file)
            let named = Set(try MetricsJudge.read(text, as: format).keys)
            #expect(named.count > 8, "\(file)")
            expectEqual(named.subtracting(names), [], "\(file)")
        }
        let document = try text(of: "docs/operating.md")
        let documented = Set(
            document.matches(of: /`(latchkey_[a-z_]+|process_[a-z_]+)[`{]/).map { String($0.1) })
        // A histogram is documented under the name of its family.
        let families = names.map { $0.replacing(/_(bucket|count|sum)$/, with: "") }
        expectEqual(documented.symmetricDifference(families).subtracting(["up"]).sorted(), [])
    }

    private func text(of file: String) throws -> String {
        try String(contentsOf: RepositoryRoot.url.appending(path: file), encoding: .utf8)
    }

    @Test func `the server's own refusals are counted`() throws {
        let server = try HTTPProcess(
            "me", in: try Self.deployment(("METRICS_LISTEN", "127.0.0.1:0")))
        let client = try server.client()
        client.send("GET / HTTP/1.1\r\n\r\n")
        expectEqual(client.answer()?.status, 400)
        let metrics = try scrape(server)
        let refused = metrics["latchkey_http_refusals_total{status=400}"]?.numberValue
        expectEqual(refused.flatMap { Double($0.text) }, 1)
    }

    @Test func `an unusable address is reported`() throws {
        for (address, problem) in [
            ("somewhere", "METRICS_LISTEN must be an address"),
            ("192.0.2.1:9464", "choose another with METRICS_LISTEN"),
        ] {
            var command = try Self.deployment(("METRICS_LISTEN", address)).eventless("me")
            command.arguments = ["--listen", "127.0.0.1:0"]
            let result = try ChildProcess.run(command)
            expectEqual(result.end, .exit(1))
            #expect(result.errorText.contains(problem), "\(result.errorText)")
        }
    }

    @Test func `with a namespace, log lines have metrics of CloudWatch`() throws {
        let deployment = try Self.deployment()
        let counted = deployment.with("METRICS_NAMESPACE", "Latchkey/test")
        let client = try deployment.signIn("grace")
        try expectEqual(counted.refresh(client.refreshToken).status, 200)
        let next = try counted.refresh(client.refreshToken)
        _ = try counted.refresh(try #require(next.refreshToken))
        let answers = [
            try counted.run("signin", counted.signInBody(of: "ada")),
            try counted.run("signin", ["provider": "acme", "idToken": "x.y.z"]),
            try counted.refresh(client.refreshToken),
            try Deployment(
                Deployment.dynamoDBSettings(table: "latchkey", url: "http://127.0.0.1:9")
                    + [("METRICS_NAMESPACE", "Latchkey/test")]
            ).run("challenge"),
        ]
        expectEqual(answers.map(\.status), [200, 401, 401, 503])
        let metrics = try MetricsJudge.read(answers.map(\.errorText).joined(), as: .emf)
        for (name, values) in [
            "signIns{method=acme}": 1, "refusals{}": 2, "failures{}": 1, "reuseDetections{}": 1,
            "refusals{reason=refreshTokenRejected.reusedOlder}": 1,
            "failures{reason=unavailable.store}": 1, "requestFailures{purpose=store}": 1,
            "milliseconds{operation=signIn}": 2, "milliseconds{operation=refresh}": 1,
            "milliseconds{operation=challenge}": 1, "milliseconds{}": 4,
        ] {
            expectEqual(metrics["Latchkey/test \(name)"]?.arrayValue?.count, values, "\(name)")
        }
        let calls = metrics["Latchkey/test storeMicroseconds{store=sqlite}"]?.arrayValue ?? []
        #expect(calls.count >= 4)
        #expect(calls.allSatisfy { ($0.int64Value ?? 0) > 0 })
        // Without a namespace nothing is added.
        let plain = try deployment.run("signin", deployment.signInBody(of: "ada"))
        try expectEqual(MetricsJudge.read(plain.errorText, as: .emf), [:])
        #expect(!plain.errorText.contains("store"))
    }

    @Test func `a namespace that CloudWatch refuses is refused`() throws {
        for namespace in ["AWS/Lambda", "a b", ":a", String(repeating: "a", count: 256)] {
            let deployment = try Self.deployment(("METRICS_NAMESPACE", namespace))
            let result = try ChildProcess.run(deployment.command("challenge"))
            expectStartFailure(result, saying: "METRICS_NAMESPACE")
        }
    }
}

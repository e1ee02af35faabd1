@Suite("Metrics") struct MetricsTests {
    private func text(_ instruments: any Instrument...) -> String {
        String(decoding: OpenMetricsText.of(instruments), as: UTF8.self)
    }

    @Test func `known label values begin with 0`() {
        let counter = Counter("app_events", "", labels: ["kind"], startingWith: [["a"]])
        #expect(text(counter).contains("app_events_total{kind=\"a\"} 0\n"))
    }

    @Test func `a histogram counts up to each bound`() {
        let histogram = Histogram("app_duration_seconds", "Time.", .store, labels: ["call"])
        for seconds in [0.00009, 0.0001, 0.003, 7] { histogram.observe(seconds, ["read"]) }
        let lines = text(histogram).split(separator: "\n").map(String.init)
        expectEqual(lines[1], "# UNIT app_duration_seconds seconds")
        func bucket(_ bound: String) -> String? {
            let start = "app_duration_seconds_bucket{call=\"read\",le=\"\(bound)\"} "
            return lines.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
        }
        // A value equal to a bound is in its bucket.
        expectEqual(bucket("0.0001"), "2")
        expectEqual(bucket("0.0025"), "2")
        expectEqual(bucket("0.005"), "3")
        expectEqual(bucket("5.0"), "3")
        expectEqual(bucket("+Inf"), "4")
        #expect(lines.contains("app_duration_seconds_count{call=\"read\"} 4"))
        #expect(lines.contains { $0.hasPrefix("app_duration_seconds_sum{call=\"read\"} 7.00319") })
    }

    @Test func `the number of series is limited`() {
        let counter = Counter("app_events", "", labels: ["kind", "end"])
        for number in 0..<1000 { counter.add(["\(number)", "x"]) }
        let lines = text(counter).split(separator: "\n").filter { $0.contains("_total{") }
        expectEqual(lines.count, 257)
        #expect(lines.contains("app_events_total{kind=\"other\",end=\"other\"} 744"))
        // A known series still counts.
        counter.add(["1", "x"])
        #expect(text(counter).contains("app_events_total{kind=\"1\",end=\"x\"} 2\n"))
    }

    @Test func `label values are escaped`() {
        let counter = Counter("app_events", "Line\nbreak.", labels: ["kind"])
        counter.add(["a\"b\\c\nd"])
        #expect(text(counter).contains(#"# HELP app_events Line\nbreak."#))
        #expect(text(counter).contains(#"{kind="a\"b\\c\nd"} 1"#))
    }

    // MARK: In log lines

    private final class Lines: Sendable {
        let texts = Mutex<[String]>([])

        func log(_ level: Log.Level, in namespace: String?) -> Log {
            Log(level: level, embeddingMetricsIn: namespace) { line in
                self.texts.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
        }

        func all() throws -> [JSON] {
            try texts.withLock { $0 }.map { try JSON.parse(Array($0.utf8), limits: .request) }
        }
    }

    private static let event = LogEvent("tested")
    private static let metrics = [EmbeddedMetrics(by: [[], ["kind"]], [("times", .microseconds)])]

    @Test func `a line declares which members are metrics`() throws {
        let lines = Lines()
        lines.log(.info, in: "App/Sign-in").info(
            Self.event, ["kind": .word("a"), "times": .counts([1, 2])], metrics: Self.metrics)
        let line = try #require(try lines.all().first)
        expectEqual(line["times"], [1, 2])
        expectEqual(
            line["_aws"]?["CloudWatchMetrics"],
            [
                [
                    "Namespace": "App/Sign-in", "Dimensions": [[], ["kind"]],
                    "Metrics": [["Name": "times", "Unit": "Microseconds"]],
                ]
            ])
        #expect((line["_aws"]?["Timestamp"]?.int64Value ?? 0) > 1_700_000_000_000)
    }

    @Test func `without a namespace a line has no metrics`() throws {
        let lines = Lines()
        let log = lines.log(.info, in: nil)
        #expect(!log.embedsMetrics)
        log.info(Self.event, ["kind": .word("a")], metrics: Self.metrics)
        try expectEqual(lines.all().first?["_aws"], nil)
    }

    @Test func `lines with metrics are written at every level except off`() throws {
        for (level, namespace, count) in [
            (Log.Level.error, "App", 1), (.error, nil, 0), (.off, "App", 0), (.info, nil, 1),
        ] {
            let lines = Lines()
            lines.log(level, in: namespace).info(Self.event, metrics: Self.metrics)
            try expectEqual(lines.all().count, count)
        }
    }
}

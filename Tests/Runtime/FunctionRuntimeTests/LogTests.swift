extension LogEvent {
    fileprivate static let refreshReplayed = LogEvent("refresh_replayed")
}

private enum Provider: String, CaseIterable { case apple, google }

@Suite("Log") struct LogTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ bytes: [UInt8]) {
            lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
        }
    }

    private static let time = #"{"time":"2026-01-02T03:04:05.678Z","#
    private static let clock = WallClock.fixed(at: Instant(milliseconds: 1_767_323_045_678))

    @Test func `an entry is one JSON line with time and typed values`() {
        let lines = Lines()
        let log = Log(level: .info, clock: Self.clock, write: lines.add).with(requestID: "r1")
        log.info(
            .refreshReplayed,
            [
                "family": .identifier("f-1"), "provider": .code(Provider.apple), "count": .count(2),
                "took": .milliseconds(.seconds(3)), "isWarm": .flag(true), "why": .word("older"),
            ])
        expectEqual(
            lines.all,
            [
                Self.time
                    + #""level":"info","event":"refresh_replayed","requestId":"r1","family":"f-1","#
                    + #""provider":"apple","count":2,"took":3000,"isWarm":true,"why":"older"}"#
                    + "\n"
            ])
    }

    @Test(arguments: [
        "person@example.com", "a b", "a\nb", "é", "{\"a\":1}", String(repeating: "a", count: 65),
    ])
    func `text that is not an identifier is not logged as one`(text: String) {
        let lines = Lines()
        Log(level: .info, clock: Self.clock, write: lines.add).error(
            .refreshReplayed, ["id": .identifier(text)])
        expectEqual(
            lines.all,
            [
                Self.time
                    + #""level":"error","event":"refresh_replayed","id":"<not an identifier>"}"#
                    + "\n"
            ])
    }

    @Test func `a failure's detail is printable and short`() {
        let lines = Lines()
        let detail = "line\r\n\u{1B}[31m" + String(repeating: "x", count: 1000)
        Log(level: .info, clock: Self.clock, write: lines.add).error(
            .refreshReplayed, ["detail": .failureDetail(detail)])
        expectEqual(lines.all.count, 1)
        #expect(
            lines.all[0].hasPrefix(
                Self.time
                    + #""level":"error","event":"refresh_replayed","detail":"line[31mxxx"#
            ))
        #expect(lines.all[0].utf8.count < 400)
    }

    @Test func `the text form is readable`() {
        let lines = Lines()
        let log = Log(level: .info, form: .text, clock: Self.clock, write: lines.add)
        log.info(
            .refreshReplayed, ["count": .count(2), "detail": .failureDetail("disk \"a\" full")])
        expectEqual(
            lines.all,
            [
                #"2026-01-02T03:04:05.678Z info refresh_replayed count=2 detail="disk \"a\" full""#
                    + "\n"
            ])
    }

    @Test(arguments: [
        ("/auth/nope", "/auth/nope"), ("/", "/"), ("", ""), ("/a b\n{\"x\":1}", "/a?b?{?x?:1}"),
        ("/\u{1B}[31m", "/??31m"),
        ("/verify/\(String(repeating: "t", count: 41))", "/verify/<41 bytes>"),
        ("/users/ada@example.com/x", "/users/<15 bytes>/x"), ("/é", "/??"),
        (String(repeating: "/a", count: 500), String(repeating: "/a", count: 100)),
    ])
    func `a path from a client is bounded, and has no byte that breaks a line`(
        path: String, logged: String
    ) {
        let lines = Lines()
        Log(level: .info, form: .text, clock: Self.clock, write: lines.add).info(
            .refreshReplayed, ["path": .path(path), "method": .method("GET\nx")])
        let shown = logged.isEmpty || logged.contains("<") ? #""\#(logged)""# : logged
        let text = #"info "<not a method>" \#(shown) refresh_replayed"#
        #expect(lines.all[0].hasSuffix(" \(text)\n"), "\(lines.all)")
    }

    @Test func `an address from a client is logged without its query`() {
        let lines = Lines()
        Log(level: .info, form: .text, clock: Self.clock, write: lines.add).info(
            .refreshReplayed, ["address": .address("https://app.example.com:1/a?token=x#y")])
        #expect(lines.all[0].hasSuffix(" address=https://app.example.com:1/a\n"), "\(lines.all)")
    }

    @Test(
        arguments: [
            ([], true, .text), ([], false, .json), ([("LOG_FORMAT", "json")], true, .json),
            ([("LOG_FORMAT", "text")], false, .text),
            ([("METRICS_NAMESPACE", "Latchkey")], true, .json),
        ] as [([(String, String)], Bool, Log.Form)])
    func `the terminal and the environment determine the form of the log`(
        variables: [(String, String)], isTerminal: Bool, form: Log.Form
    ) {
        let environment = Environment(variables.map { (name: $0.0, value: $0.1) })
        let streams = StandardStreams(
            readInput: { _ throws(StandardStreams.ReadFailure) in [] }, writeOutput: { _ in true },
            writeError: { _ in }, inputIsTerminal: { false }, errorIsTerminal: { isTerminal })
        expectEqual(Log.standard(environment, streams).form, form)
    }

    @Test(arguments: [(Log.Level.off, 0), (.error, 1), (.info, 2)])
    func `each level includes the more severe levels`(level: Log.Level, count: Int) {
        let lines = Lines()
        let log = Log(level: level, write: lines.add)
        log.info(.refreshReplayed)
        log.error(.refreshReplayed)
        expectEqual(lines.all.count, count)
    }

    @Test(
        arguments: [
            ([], .info), ([("LOG_LEVEL", "error")], .error), ([("LOG_LEVEL", "off")], .off),
            ([("LOG_LEVEL", "")], .info), ([("LOG_LEVEL", "loud")], .info),
            // The classic watchdog, which adds stderr to the body.
            ([("Http_ContentLength", "2")], .off),
            ([("Http_ContentLength", "2"), ("combine_output", "true")], .off),
            ([("Http_ContentLength", "2"), ("combine_output", "false")], .info),
            ([("Http_ContentLength", "2"), ("LOG_LEVEL", "info")], .info),
            ([("Http_Method", "GET")], .info),
        ] as [([(String, String)], Log.Level)])
    func `the environment chooses the level`(variables: [(String, String)], level: Log.Level) {
        let environment = Environment(variables.map { (name: $0.0, value: $0.1) })
        expectEqual(Log.standard(environment).level, level)
    }
}

@Suite("Environment") struct EnvironmentTests {
    private let environment = Environment([
        ("SECRET", "hunter2"), ("EMPTY", ""), ("K", "k"), ("\u{212A}", "kelvin"),
    ])

    @Test func `names are compared as bytes`() {
        expectEqual(environment["SECRET"], "hunter2")
        expectEqual(environment["secret"], nil)
        expectEqual(environment["EMPTY"], nil)
        expectEqual(environment["K"], "k")
        expectEqual(environment["\u{212A}"], "kelvin")
    }

    @Test func `printing the environment does not reveal its values`() {
        var dumped = ""
        dump(environment, to: &dumped)
        let texts = ["\(environment)", String(reflecting: environment), dumped]
        #expect(texts.allSatisfy { !$0.contains("hunter2") })
    }
}

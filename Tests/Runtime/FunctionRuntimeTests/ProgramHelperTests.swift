import CPosix

@Suite("Programs of a function that may not start any") struct ProgramHelperTests {
    /// A shell script in a folder of its own.
    private final class Script {
        let folder: TemporaryFolder
        var path: String { folder.file("program") }

        init(_ text: String) throws {
            folder = try TemporaryFolder()
            try folder.replace("program", withScript: text)
        }
    }

    private static func helper(_ variables: [(String, String)] = []) throws -> ProgramHelper {
        let environment = Environment(
            ([("PATH", "/usr/bin:/bin")] + variables).map { (name: $0.0, value: $0.1) })
        return try #require(
            ProgramHelper.start(environment, passing: "HOOK_", except: ["HOOK_SECRET"]))
    }

    private static func run(
        _ text: String, _ input: String = "", bytesMax: Int = 4096,
        within limit: Span = .seconds(120)
    ) throws -> String {
        let script = try Script(text)
        let output = try helper().run(
            script.path, input: Array(input.utf8), outputBytesMax: bytesMax, within: limit)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `a program reads its input and answers`() throws {
        try expectEqual(Self.run("cat; echo .", "in"), "in.\n")
    }

    @Test func `more data than a socket buffers passes in both directions`() throws {
        let text = String(repeating: "0123456789", count: 100_000)
        try expectEqual(Self.run("cat", text, bytesMax: 1 << 20), text)
    }

    @Test func `a program does not have to read its input`() throws {
        let text = String(repeating: "x", count: 1 << 20)
        try expectEqual(Self.run("echo yes", text), "yes\n")
    }

    @Test func `output up to the limit is accepted, and larger output is refused`() throws {
        try expectEqual(Self.run("printf 12345", bytesMax: 5), "12345")
        #expect(throws: ProgramHelper.Failure.tooLarge) {
            try Self.run("printf 123456", bytesMax: 5)
        }
        #expect(throws: ProgramHelper.Failure.tooLarge) { try Self.run("yes", bytesMax: 1000) }
    }

    /// The programs never end by themselves: no time is measured.
    @Test func `a program over its time limit is killed with its descendants`() throws {
        let script = try Script("sleep 1000 & echo $! > ${0%/*}/child; sleep 1000")
        let helper = try Self.helper()
        #expect(throws: ProgramHelper.Failure.timedOut) {
            try helper.run(script.path, input: [], outputBytesMax: 100, within: .seconds(2))
        }
        // The helper still runs. The descendant may be a zombie for a while.
        let other = try Script(
            "child=$(cat \(script.folder.path)/child)\n"
                + "while s=$(cut -d ' ' -f 3 /proc/$child/stat 2>/dev/null) && [ \"$s\" != Z ]\n"
                + "do sleep 0.01; done; echo gone")
        let output = try helper.run(
            other.path, input: [], outputBytesMax: 100, within: .seconds(20))
        expectEqual(output, Array("gone\n".utf8))
    }

    @Test func `a file that is not a program fails`() throws {
        let helper = try Self.helper()
        let long = "/" + String(repeating: "x", count: 2000)
        let scripts = try (Script("exit 3"), Script("kill -9 $$"))
        let failures: [(String, ProgramHelper.Failure)] = [
            ("/nonexistent/program", .missing), ("/", .notExecutable),
            ("/etc/passwd", .notExecutable), (long, .unavailable),
            (scripts.0.path, .exited(status: 3)), (scripts.1.path, .killed(signal: 9)),
        ]
        for (path, failure) in failures {
            #expect(throws: failure) {
                try helper.run(path, input: [1, 2], outputBytesMax: 100, within: .seconds(20))
            }
        }
        withExtendedLifetime(scripts) {}
    }

    @Test func `programs do not get the settings of the function`() throws {
        let script = try Script("env")
        let helper = try Self.helper([
            ("MASTER_KEY", "hidden"), ("HOOK_SECRET", "hidden"), ("HOOK_REGION", "shown"),
            ("TZ", "UTC"),
        ])
        let output = try helper.run(
            script.path, input: [], outputBytesMax: 4096, within: .seconds(20))
        let text = String(decoding: output, as: UTF8.self)
        #expect(!text.contains("hidden"))
        #expect(text.contains("HOOK_REGION=shown\n") && text.contains("TZ=UTC\n"))
    }

    @Test func `many programs can run concurrently`() async throws {
        let script = try Script("read number; echo $number")
        let (path, helper) = (script.path, try Self.helper())
        let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for number in 0..<20 {
                group.addTask {
                    let output = try helper.run(
                        path, input: Array("\(number)\n".utf8), outputBytesMax: 100,
                        within: .seconds(60))
                    return (number, String(decoding: output, as: UTF8.self))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 20 && answers.allSatisfy { "\($0.0)\n" == $0.1 })
    }
}

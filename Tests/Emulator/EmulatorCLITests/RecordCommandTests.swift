import BaseTestSupport
import Foundation

/// `/_emulator/recordings` and `emulator record`, with Latchkey's functions.
@Suite("Fixtures of past invocations", .serialized, .hangLimit)
struct RecordCommandTests {
    private let folder: TemporaryFolder
    private let emulator: EmulatorProcess
    private let caller: EmulatorClient

    /// Also started with `--record`, for comparison.
    init() throws {
        folder = try TemporaryFolder()
        let template = RecordingTests.template(["signin", "me", "refresh", "challenge"])
        try folder.write(Array(template.utf8), to: "template.yaml")
        emulator = try EmulatorProcess(
            EmulatorProcess.serving(["--ephemeral", "--record", "live"]).working(in: folder))
        caller = EmulatorClient(emulator)
    }

    private func record(_ words: String...) throws -> ProcessResult {
        try ChildProcess.run(
            EmulatorProcess.command(["record"] + words + ["--url", emulator.appURL]))
    }

    private func invocations(_ count: Int) throws -> [JSON] {
        var found: [JSON] = []
        // An invocation is recorded shortly after its caller gets the response.
        #expect(
            try eventually {
                found =
                    try caller.app(.get, "/_emulator/invocations").json?["invocations"]?
                    .arrayValue ?? []
                return found.count == count
            })
        return found.reversed()
    }

    private func signIn(_ padding: String = "") throws -> (token: String, answer: JSON) {
        let minted = try caller.app(.post, "/_idp/apple/mint")
        let token = try #require(minted.json?["idToken"]?.stringValue)
        let body: JSON = ["provider": "apple", "idToken": .string(token)]
        let answer = try caller.app(.post, "/auth/signin", body.text + padding)
        expectEqual(answer.status, 200, "\(answer.text)")
        return (token, try #require(answer.json))
    }

    private func refresh(_ token: String) throws -> HTTPResponse {
        let body: JSON = ["refreshToken": .string(token)]
        return try caller.app(.post, "/auth/refresh", body.text)
    }

    private func text(_ json: JSON, _ name: String) throws -> String {
        try #require(json[name]?.stringValue)
    }

    private func files(_ root: String) throws -> [String: String] {
        var files: [String: String] = [:]
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.file(root))
        for name in names where name.hasSuffix(".json") {
            files[name] = try String(decoding: folder.read("\(root)/\(name)"), as: UTF8.self)
        }
        return files
    }

    @Test func `a session becomes the same fixtures as with --record, and they replay`() throws {
        let (idToken, signedIn) = try signIn()
        let access = try text(signedIn, "accessToken")
        let first = try text(signedIn, "refreshToken")
        let me = try caller.app(.get, "/auth/me", headers: [("Authorization", "Bearer \(access)")])
        expectEqual(me.status, 200, "\(me.text)")
        let refreshed = try #require(try refresh(first).json)
        let second = try text(refreshed, "refreshToken")
        // Errors: no token, an invalid token, and no refresh token.
        try expectEqual(caller.app(.get, "/auth/me").status, 401)
        try expectEqual(caller.app(.post, "/auth/signin", "{}").status, 400)
        try expectEqual(caller.app(.post, "/auth/refresh", "{}").status, 400)
        // A used token of a session that was refreshed twice since.
        try expectEqual(refresh(second).status, 200)
        try expectEqual(refresh(first).status, 401)
        let ids = try invocations(8).map { try text($0, "requestId") }
        for id in ids {
            let result = try record(id, "--into", folder.file("made"))
            expectEqual(result.end, .exit(0), "\(result.errorText)")
        }
        #expect(eventually { folder.exists("live/refresh/post-auth-refresh-401.json") })
        let made = try files("made")
        // --record skips the second refresh: except for its steps it equals the first.
        let second200 = "refresh/post-auth-refresh-200-2"
        let own = made.filter { $0.key.hasPrefix(second200) }
        expectEqual(own.count, 1)
        let shared = made.filter { !$0.key.hasPrefix(second200) }
        let live = try files("live")
        expectEqual(shared.keys.sorted(), live.keys.sorted())
        for (name, text) in shared { expectEqual(live[name], text, "\(name)") }
        #expect(made.keys.contains("me/get-auth-me-200.json"), "\(made.keys)")
        let email = try text(try #require(signedIn["user"]), "email")
        for secret in [
            idToken, access, first, second, email, "bWFzdGVyIGtleSBvZiBh",
            try text(refreshed, "accessToken"),
        ] {
            #expect(made.filter { $0.value.contains(secret) }.isEmpty)
        }
        #expect(emulator.process.end().waitUntilGone())
        let replayed = try RecordingTests.replay(folder.file("made"))
        #expect(replayed.text.hasSuffix("8 passed, 0 failed\n"), "\(replayed.text)")
        expectEqual(replayed.end, .exit(0), "\(replayed.errorText)")
        try expectSettings(in: "made")
    }

    private func expectSettings(in root: String) throws {
        let settings = try JSON.parse(folder.read("\(root)/settings.json"), limits: .event)
        expectEqual(settings["contract"], "latchkey")
        let environment = settings["environment"]
        expectEqual(environment?["CONTRACT"], "<contract>")
        expectEqual(environment?["STORE"], "sqlite:<directory>/latchkey.db")
        expectEqual(environment?["APPLE_ISSUER"], "<idp>/apple")
        expectEqual(environment?["APPLE_CLIENT_IDS"], "com.example.app")
        expectEqual(environment?["AWS_ENDPOINT_URL"], nil)
        // A different key is recorded instead of the secret one.
        let key = environment?["MASTER_KEY"]?.stringValue
        #expect(key?.utf8.count == 64 && key?.hasPrefix("bWFz") == false)
        // Without them a replay fails, and the error names the missing file.
        try folder.remove("\(root)/settings.json")
        let bare = try RecordingTests.replay(folder.file(root))
        expectEqual(bare.end, .exit(1))
        #expect(
            bare.errorText.contains("There is no \(folder.file(root))/settings.json, so the "),
            "\(bare.errorText)")
    }

    @Test func `the response names the files, the steps and the template`() throws {
        let (_, signedIn) = try signIn()
        try expectEqual(refresh(text(signedIn, "refreshToken")).status, 200)
        let id = try text(try invocations(2)[1], "requestId")
        let answer = try #require(try caller.app(.get, "/_emulator/recordings/\(id)").json)
        expectEqual(answer["requestId"], .string(id))
        expectEqual(answer["function"], "refreshFunction")
        expectEqual(answer["name"], "refresh/post-auth-refresh-200")
        expectEqual(answer["steps"], 1)
        expectEqual(answer["notes"], [])
        expectEqual(
            answer["files"]?.arrayValue?.map { $0["name"] },
            ["settings.json", "refresh/post-auth-refresh-200.json"])
        try expectEqual(caller.app(.get, "/_emulator/recordings/last").json, answer)
        let replay = try #require(answer["replay"]?.arrayValue).compactMap(\.stringValue)
        expectEqual(replay.first, "--template")
        let result = try record("--into", folder.file("a folder"))
        expectEqual(
            result.errorText,
            "replay it: emulator replay '\(folder.file("a folder"))' "
                + "--only refresh/post-auth-refresh-200 \(replay.joined(separator: " "))\n")
        expectEqual(
            result.text.split(separator: "\n"),
            ["settings.json", "refresh/post-auth-refresh-200.json"].map {
                "\(folder.file("a folder"))/\($0)"
            })
        let replayed = try ChildProcess.run(
            EmulatorProcess.command(
                [
                    "replay", folder.file("a folder"), "--only", "refresh/post-auth-refresh-200",
                ] + replay))
        expectEqual(replayed.text, "1 passed, 0 failed\n", "\(replayed.text)")
    }

    @Test func `a note names earlier requests that wrote to the same table`() throws {
        let (_, signedIn) = try signIn()
        try expectEqual(caller.app(.post, "/auth/challenge").status, 200)
        try expectEqual(refresh(text(signedIn, "refreshToken")).status, 200)
        _ = try invocations(3)
        let result = try record("--into", folder.file("made"))
        let note =
            "The answer may depend on what earlier requests wrote to the same tables or buckets, "
            + "which are not steps of the fixture: POST /auth/challenge. A replay begins with "
            + "empty ones: if it fails, add to the steps of 'given': "
            + #"{"function":"challenge","request":"POST /auth/challenge","#
        #expect(result.errorText.hasPrefix("note: \(note)"), "\(result.errorText)")
        let line = "recorded: refresh/post-auth-refresh-200. Note: \(note)"
        #expect(eventually { emulator.log.contains(line) }, "\(emulator.log)")
        #expect(emulator.log.contains("recorded: signin/post-auth-signin-200\n"))
        let whole = try record("--steps", "--into", folder.file("whole"))
        #expect(whole.errorText.hasPrefix("replay it: "), "\(whole.errorText)")
        #expect(try files("whole").contains { $0.value.contains("POST /auth/challenge") })
        try expectEqual(RecordingTests.replay(folder.file("whole")).end, .exit(0))
        // What was written before a reset does not matter.
        try expectEqual(caller.app(.delete, "/_emulator/state").status, 200)
        try expectEqual(caller.app(.post, "/auth/challenge").status, 200)
        _ = try invocations(4)
        #expect(try record("--into", folder.file("reset")).errorText.hasPrefix("replay it: "))
    }

    @Test func `a refresh whose sign-in was truncated is refused with the reason`()
        throws
    {
        let (_, signedIn) = try signIn(String(repeating: " ", count: 20_000))
        try expectEqual(refresh(text(signedIn, "refreshToken")).status, 200)
        _ = try invocations(2)
        let result = try record("last", "--into", folder.file("made"))
        expectEqual(result.end, .exit(1))
        #expect(result.text.isEmpty)
        expectEqual(
            result.errorText,
            "emulator record: Not recorded: refreshToken has a value that was not issued "
                + "in this session. Of the earlier invocations, 1 is not kept whole: a fixture "
                + "that depends on one of them lacks it as a step. 'emulator serve --record "
                + "DIR' records all from the start.\n")
        #expect(!folder.exists("made"))
    }

    @Test func `an ID token that has expired since its sign-in is recorded as valid`() throws {
        var expiry = Date()
        // On a busy machine the token may expire before it arrives.
        #expect(
            try eventually {
                let minted = try caller.app(.post, "/_idp/apple/mint", #"{"expiresIn": 3}"#)
                expiry = Date(timeIntervalSinceNow: 4)
                let token = try #require(minted.json?["idToken"]?.stringValue)
                let body: JSON = ["provider": "apple", "idToken": .string(token)]
                return try caller.app(.post, "/auth/signin", body.text).status == 200
            })
        #expect(eventually { Date() > expiry })
        let result = try record("--into", folder.file("made"))
        expectEqual(result.end, .exit(0), "\(result.errorText)")
        let made = try files("made")
        #expect(made.keys.contains("signin/post-auth-signin-200.json"), "\(made.keys)")
        #expect(made.filter { $0.value.contains(#""fault""#) }.isEmpty)
    }

    @Test func `the contract's shapes are used, and the folder's settings are kept`() throws {
        _ = try signIn()
        _ = try invocations(1)
        try folder.makeFolder("made")
        let settings = #"{"contract": "mine"}"#
        try folder.write(Array(settings.utf8), to: "made/settings.json")
        try folder.write(
            Array(#"{"opaqueToken": "lkr_<base64url>"}"#.utf8), to: "made/mine.shapes.json")
        try expectEqual(record("--into", folder.file("made") + "/").end, .exit(0))
        let answer = try files("made")["signin/post-auth-signin-200.json"]
        expectEqual(answer?.contains(#""refreshToken": "<opaqueToken>""#), true, "\(answer ?? "")")
        try expectEqual(folder.read("made/settings.json"), Array(settings.utf8))
        for body in ["", #"{"shapes": 1}"#, #"{"answers": 1}"#, #"{"shapes": {"uuid": "a"}}"#] {
            let refused = try caller.app(.post, "/_emulator/recordings/last", body)
            expectEqual(refused.status, 400, "\(body): \(refused.text)")
        }
    }
}

/// The same with a function that is not Latchkey's.
@Suite("Fixtures of any invocation", .serialized, .hangLimit)
struct RecordAnyFunctionTests {
    private let project: EmulatorProject
    private let emulator: EmulatorProcess
    private let caller: EmulatorClient

    init() throws {
        project = try EmulatorProject([:], ["--quiet"])
        try project.write([
            "f": try ScriptedFunction.function(project, "f"),
            "slow": try ScriptedFunction.function(project, "slow", timeoutSeconds: 1),
        ])
        emulator = try project.start()
        caller = EmulatorClient(emulator)
    }

    private var made: String { project.folder.file("made") }

    private func record(_ words: String...) throws -> ProcessResult {
        try ChildProcess.run(
            EmulatorProcess.command(["record"] + words + ["--url", emulator.appURL]))
    }

    private func recording(_ id: String) throws -> (status: Int, message: String?) {
        let answer = try caller.app(.get, "/_emulator/recordings/\(id)")
        return (answer.status, answer.json?["message"]?.stringValue)
    }

    /// Invokes the function, and waits until the invocation is recorded.
    private func invoke(_ event: String, _ function: String = "f") throws {
        func total() throws -> Int64? {
            try caller.app(.get, "/_emulator/invocations?bodies=0").json?["total"]?.int64Value
        }
        let before = try total()
        _ = try caller.invoke(function, event)
        #expect(try eventually { try total() != before })
    }

    private static func reply(_ text: String) -> String {
        let reply: JSON = ["statusCode": 201, "body": .string(text)]
        return JSON.object(["do": "reply", "reply": .string(reply.text)]).text
    }

    @Test func `an invocation of any function becomes a fixture that replays`() throws {
        try invoke(Self.reply("fine"))
        let first = try record("--into", made)
        expectEqual(first.end, .exit(0), "\(first.errorText)")
        let paths = ["\(made)/settings.json", "\(made)/f/direct-201.json"]
        expectEqual(first.text, paths.map { "\($0)\n" }.joined())
        // An identical fixture already exists, and another one gets a number.
        let second = try record("last", "--into", made)
        expectEqual(second.text, paths.dropFirst().map { "\($0)\n" }.joined())
        try invoke(Self.reply("good"))
        let third = try record("--into", made)
        #expect(third.text.contains("\(made)/f/direct-201-2.json\n"), "\(third.text)")
        #expect(third.errorText.contains(" --only f/direct-201-2 "), "\(third.errorText)")
        #expect(try project.folder.read("made/f/direct-201.json").contains(0x66))
        let replayed = try ChildProcess.run(
            EmulatorProcess.command(["replay", made, "--executables", project.folder.path]))
        expectEqual(replayed.text, "2 passed, 0 failed\n", "\(replayed.text)\(replayed.errorText)")
    }

    @Test func `an invocation that is no longer kept is not found`() throws {
        try expectEqual(recording("last").status, 404)
        try invoke(Self.reply("fine"))
        #expect(
            try recording("none")
                == (
                    404,
                    "Invocation not found: none. 1 invocation is kept, at most 500, each from its "
                        + "end on: /_emulator/invocations."
                ))
        let result = try record("none", "--into", made)
        expectEqual(result.end, .exit(1))
        #expect(result.errorText.hasPrefix("emulator record: Invocation not found: none. 1 "))
        #expect(!project.folder.exists("made"))
        try expectEqual(caller.app(.delete, "/_emulator/recordings/last").status, 404)
        try expectEqual(caller.app(.get, "/_emulator/recordings").status, 404)
    }

    @Test func `only complete responses become fixtures`() throws {
        try invoke(#"{"do":"nothing that it knows"}"#)
        #expect(
            try recording("last")
                == (409, "Not recorded: the function failed, and a fixture needs an answer."))
        try invoke(#"{"do":"sleep","seconds":60}"#, "slow")
        #expect(
            try recording("last")
                == (409, "Not recorded: the function timed out, and a fixture needs an answer."))
        let cut =
            "Not recorded: the event or the answer is larger than 16 KB, and is not kept "
            + "whole. 'emulator serve --record DIR' records all from the start."
        try invoke(#"{"do":"big","bytes":16385}"#)
        #expect(try recording("last") == (409, cut))
        try invoke(#"{"do":"big","bytes":16384}"#)
        let whole = try caller.app(.get, "/_emulator/recordings/last")
        #expect(whole.status == 200 && whole.json?["name"] == "f/direct-answered", "\(whole.text)")
        try invoke(#"{"do":"pid","padding":"\#(String(repeating: "x", count: 16_384))"}"#)
        #expect(try recording("last") == (409, cut))
        try invoke(#"{"do":"echo","password":"hunter2"}"#)
        let secret = try recording("last")
        expectEqual(secret.status, 409)
        expectEqual(
            secret.message?.hasPrefix(
                "Not recorded: password has a value that was not issued in this session. Of the "
                    + "earlier invocations, 2 are not kept whole: "), true,
            "\(secret.message ?? "")")
    }

    @Test func `an invocation that did not run is refused`() throws {
        let fault = #"{"match":{"service":"function"},"effect":"throttle"}"#
        let added = try caller.app(.post, "/_emulator/faults", fault)
        #expect((200..<300).contains(added.status), "\(added.text)")
        _ = try caller.invoke("f", Self.reply("fine"))
        let calls = try caller.app(.get, "/_emulator/events").json?["events"]?.arrayValue ?? []
        let ids = calls.compactMap { $0["requestId"]?.stringValue }
        let id = try #require(ids.last)
        let answer = try recording(id)
        expectEqual(answer.status, 409)
        expectEqual(
            answer.message?.hasPrefix("Not recorded: the function did not run ("), true,
            "\(answer.message ?? "")")
    }

    @Test func `a fixture has a note if earlier invocations are no longer kept`() throws {
        for _ in 0..<502 { _ = try caller.invoke("f", #"{"do":"echo"}"#) }
        try invoke(Self.reply("fine"))
        let result = try record("--into", made)
        expectEqual(result.end, .exit(0))
        #expect(
            result.errorText.hasPrefix(
                "note: Of the earlier invocations, 3 are no longer kept: a fixture that depends "
                    + "on one of them lacks it as a step. "), "\(result.errorText)")
    }

    @Test func `the command needs a running emulator and a folder`() throws {
        let none = try ChildProcess.run(
            EmulatorProcess.command(["record", "--url", "http://127.0.0.1:1"]))
        expectEqual(none.end, .exit(1))
        #expect(none.errorText.contains("no emulator answers at http://127.0.0.1:1"))
        let two = try record("a", "b")
        expectEqual(two.end, .exit(2))
        #expect(two.errorText.hasPrefix("emulator record: unexpected argument 'b'\nusage: "))
        let empty = try record("--into", "")
        expectEqual(empty.end, .exit(2))
        try invoke(Self.reply("fine"))
        try project.folder.write([], to: "file")
        let blocked = try record("--into", project.folder.file("file"))
        expectEqual(blocked.end, .exit(1))
        #expect(blocked.errorText.hasPrefix("emulator record: "), "\(blocked.errorText)")
    }
}

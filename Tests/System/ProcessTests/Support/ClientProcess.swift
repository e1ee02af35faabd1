import BaseTestSupport
import Foundation

/// The Swift client in a process of its own: see Tests/Client/ClientProgram.
final class ClientProcess {
    let process: ChildProcess
    private var read: [String: Int] = [:]

    /// - Parameter store: the folder of its store, which need not exist.
    init(_ url: String, store: String) throws {
        var command = Command(BuiltExecutables.path(of: "client-program"), [url, store])
        command.environment = [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("LC_ALL", "C.UTF-8")]
        command.input = .stream
        process = try ChildProcess(command)
    }

    func send(_ line: String) { _ = process.send("\(line)\n") }

    /// The next line that begins with a word, without it.
    func answer(_ word: String) throws -> String {
        let number = read[word, default: 0]
        var found: Substring?
        _ = process.waits { [process] in
            let lines = process.textSoFar.output.split(
                separator: "\n", omittingEmptySubsequences: false)
            let answers = lines.dropLast().filter { $0.hasPrefix("\(word) ") }
            guard answers.count > number else { return false }
            found = answers[number].dropFirst(word.count + 1)
            return true
        }
        read[word] = number + 1
        return String(try #require(found, "\(word): \(process.textSoFar) \(process.isRunning)"))
    }

    func ask(_ line: String) throws -> String {
        send(line)
        return try answer(String(line.prefix { $0 != " " }))
    }

    func signIn(_ subject: String, in deployment: Deployment) throws -> String {
        try ask("sign-in acme \(try deployment.idToken(of: subject))")
    }

    /// Begins a refresh, and returns when it is held up at a step.
    func refresh(upTo step: String) throws {
        _ = try ask("stop \(step)")
        send("refresh")
        try expectEqual(answer("at"), step)
    }

    func kill() {
        process.kill(SIGKILL)
        expectEqual(process.wait().end, .signal(SIGKILL))
    }
}

/// The record that a client has stored.
struct StoredSession {
    let tokens: SignedIn
    let generation: Int64

    /// nil if no user is signed in.
    init?(in store: String) throws {
        guard let bytes = try? Data(contentsOf: URL(filePath: "\(store)/session")) else {
            return nil
        }
        let record = try JSON.parse(Array(bytes), limits: .event)["session"]
        guard let record, record != .null else { return nil }
        tokens = try SignedIn(
            refreshToken: try #require(record["refreshToken"]?.stringValue),
            accessToken: try #require(record["accessToken"]?.stringValue))
        generation = try #require(record["generation"]?.int64Value)
    }
}

internal import AuthComposition
internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import JSON
internal import Time

extension OperatorCommand {
    private static let trial = Flag("--dry-run", nil, "Only check the file.")
    private static let fileBytesMax = 1 << 30

    /// `latchkey import users`
    static let importUsers = OperatorCommand(
        CommandShape(
            name: "import users", operands: ["FILE"],
            summary: "Import the users of another system, with their passwords.",
            details: """
                FILE has a user in each line, as JSON; - stands for standard input:

                {"email": "ada@example.com", "passwordHash": "$2b$12$…", "emailVerified": true,
                "displayName": "Ada", "createdAt": "2024-05-01T12:00:00Z"}

                in one line. Only email and passwordHash are required. A hash is of bcrypt, scrypt,
                PBKDF2 or Argon2id, in the forms that docs/operating.md lists; the user's next login
                replaces it. createdAt may also be seconds since 1970. No mail is sent.

                A user whose address has an account is unchanged, so an interrupted import can be
                repeated. A server may run meanwhile. A line that cannot be imported is reported,
                and the rest is imported. The status is 0 if all users exist afterwards.
                """, flags: [trial])
    ) { arguments, assembly throws(CommandFailure) in
        let lines = try readFile(arguments.operands[0], bytesMax: fileBytesMax)
            .split(separator: 0x0A, omittingEmptySubsequences: false)
        let auth = try services(beside: assembly)
        guard auth.policy.passwords != nil else {
            throw CommandFailure("this deployment has no passwords")
        }
        var run = UserImport(auth: auth, isTrial: arguments.has(trial.name))
        for (index, line) in lines.enumerated() where !line.allSatisfy({ $0 <= 0x20 }) {
            try run.take(Array(line), number: index + 1)
        }
        return try run.finish()
    }

    /// The services of a deployment whose server has been started before.
    static func services(beside assembly: Assembly) throws(CommandFailure) -> AuthServices {
        try starting { () throws(StartFailure) in
            let settings = try assembly.operatorSettings()
            try settings.requireStore()
            try settings.requireStarted()
            return try LatchkeyFunction.operatorServices(
                assembly, Log(level: .error) { _ = Descriptor.writeAll($0, to: 2) })
        }
    }
}

/// One run of `latchkey import users`.
private struct UserImport {
    let auth: AuthServices
    let isTrial: Bool
    private var batch: [(line: Int, entry: ImportUsers.Entry)] = []
    private var counts = (imported: 0, unchanged: 0, refused: 0)
    private var warning: String?
    private var progress: TransferProgress

    init(auth: AuthServices, isTrial: Bool) {
        self.auth = auth
        self.isTrial = isTrial
        progress = TransferProgress(isTrial ? "checked" : "imported")
    }

    mutating func take(_ bytes: [UInt8], number: Int) throws(CommandFailure) {
        do throws(Problem) {
            let entry = try entry(bytes)
            if let defect = ImportUsers.defect(of: entry, at: auth.clock.now()) {
                throw Problem(words(for: defect))
            }
            batch.append((number, entry))
        } catch {
            refuse(number, error.words)
        }
        if batch.count == ImportUsers.usersMax { try send() }
    }

    /// Returns the exit status.
    mutating func finish() throws(CommandFailure) -> Int32 {
        try send()
        Terminal.say(
            isTrial
                ? "latchkey: users that can be imported or have an account: \(counts.imported); "
                    + "wrong lines: \(counts.refused)"
                : "latchkey: users imported: \(counts.imported), unchanged: \(counts.unchanged), "
                    + "not imported: \(counts.refused)")
        if let warning { Terminal.say("latchkey: \(warning)") }
        return counts.refused == 0 ? 0 : 1
    }

    private mutating func send() throws(CommandFailure) {
        guard !batch.isEmpty else { return }
        defer {
            batch = []
            progress.show(counts.imported + counts.unchanged + counts.refused)
        }
        guard !isTrial else { return counts.imported += batch.count }
        let output: ImportUsers.Output
        do throws(AuthError) {
            output = try auth.importUsers(batch.map(\.entry))
        } catch {
            throw CommandFailure(
                "line \(batch[0].line): the store does not answer, or is not ready: \(error). "
                    + "Users before it are imported: repeat the command")
        }
        auth.afterReply.run(until: nil)
        warning = output.warning ?? warning
        for (outcome, line) in zip(output.outcomes, batch.map(\.line)) {
            switch outcome {
            case .imported: counts.imported += 1
            case .exists: counts.unchanged += 1
            case .refused(let defect): refuse(line, words(for: defect))
            }
        }
    }

    private mutating func refuse(_ line: Int, _ words: String) {
        counts.refused += 1
        Terminal.say("line \(line): not imported: \(words)")
    }

    // MARK: A line

    private struct Problem: Error {
        let words: String

        init(_ words: String) { self.words = words }
    }

    private func entry(_ bytes: [UInt8]) throws(Problem) -> ImportUsers.Entry {
        guard let user = (try? JSON.parse(bytes, limits: .request))?.objectValue else {
            throw Problem("it is not a JSON object")
        }
        let known = ["email", "passwordHash", "emailVerified", "displayName", "createdAt"]
        let names = user.members.map(\.name)
        if let other = names.first(where: { name in !known.contains(where: name.isSame(as:)) }) {
            throw Problem(AdminTable.printable("'\(other)' is unknown"))
        }
        func text(_ name: String) throws(Problem) -> String? {
            guard let value = user[name], value != .null else { return nil }
            guard let text = value.stringValue else { throw Problem("\(name) is not text") }
            return text
        }
        guard let email = try text("email"), let hash = try text("passwordHash") else {
            throw Problem("email or passwordHash is missing")
        }
        var entry = ImportUsers.Entry(
            email: email, passwordHash: hash, displayName: try text("displayName"))
        if let value = user["emailVerified"], value != .null {
            guard let isVerified = value.boolValue else {
                throw Problem("emailVerified is neither true nor false")
            }
            entry.isEmailVerified = isVerified
        }
        if let value = user["createdAt"], value != .null {
            guard
                let time = value.stringValue.flatMap({ Instant(iso8601: $0) })
                    ?? value.int64Value.map({ Instant(seconds: $0) })
            else {
                throw Problem("createdAt is neither seconds since 1970 nor RFC 3339")
            }
            entry.createdAt = time
        }
        return entry
    }

    private func words(for defect: ImportUsers.Defect) -> String {
        switch defect {
        case .emailInvalid: "email is not an address"
        case .passwordHashUnsupported:
            "passwordHash has an unknown form, or costs more than allowed"
        case .createdAtInFuture: "createdAt is in the future: are these milliseconds?"
        }
    }
}

internal import AuthComposition
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import Glibc

extension OperatorCommand {
    /// `latchkey configure`
    static let configure = OperatorCommand(
        CommandShape(
            name: "configure", summary: "Ask for the settings, check them, and write their file.",
            details: """
                Asks at the terminal. With --set, --read or --unset it changes only these and asks
                nothing. Comments and other lines of the file are unchanged; it is readable by its
                owner only. A value that the server refuses is not written. Other settings that are
                missing, or that a check rejects, do not prevent the writing, but the status is 2.
                """,
            flags: [
                Flag(
                    "--file", "FILE",
                    "The file. Default: /etc/latchkey/latchkey.env, where the package\n"
                        + "is installed, otherwise latchkey.env in this folder"),
                Flag("--set", "NAME=VALUE", "Set a setting.", isRepeatable: true),
                Flag(
                    "--read", "NAME", "Set a setting to a line of standard input: for secrets.",
                    isRepeatable: true),
                Flag("--unset", "NAME", "Remove a setting.", isRepeatable: true),
                Flag("--test-mail", "ADDRESS", "Send a test mail."),
                Flag("--no-checks", nil, "Look up no names, and call no provider."),
            ])
    ) { arguments, assembly throws(CommandFailure) in
        var run = try Configuration(arguments, assembly)
        return try run.run()
    }
}

/// One run of `latchkey configure`.
struct Configuration {
    /// The file was written, but a check has failed.
    static let unsound: Int32 = 2

    private let arguments: CommandArguments
    private let assembly: Assembly
    private var file: SettingsFile
    private let secrets: ServiceSecrets
    private var testMailAddress: String?

    init(_ arguments: CommandArguments, _ assembly: Assembly) throws(CommandFailure) {
        self.arguments = arguments
        self.assembly = assembly
        testMailAddress = arguments.text("--test-mail")
        let standard =
            access(folder(of: StartSettings.packageFile), F_OK) == 0
            ? StartSettings.packageFile : StartSettings.standardFile
        file = try SettingsFile(arguments.text("--file") ?? standard)
        secrets = ServiceSecrets(isOfPackage: file.path == StartSettings.packageFile)
    }

    /// Returns the exit status.
    mutating func run() throws(CommandFailure) -> Int32 {
        let changes = ["--set", "--read", "--unset"].contains(where: arguments.has)
        if changes {
            let before = problems() + formProblems
            try applyArguments()
            try refuse((problems() + formProblems).filter { !before.contains($0) })
        } else if !Prompt.isPossible {
            if !arguments.has("--test-mail") {
                throw CommandFailure(
                    "there is no terminal to ask at: latchkey configure --set NAME=VALUE sets a "
                        + "setting, --read NAME reads a secret from standard input (see --help)",
                    status: CommandFailure.usage)
            }
        } else {
            try ask()
        }
        if changes || Prompt.isPossible { try file.write() }
        Terminal.say("Settings: \(file.path)")
        let isGood = check()
        for line in RegistrationGuide(file: file).lines { Terminal.say(line) }
        let start = restart
        Terminal.say(
            problems().isEmpty
                ? start : "The server does not start with these settings: see \"bad\" above."
        )
        return isGood ? 0 : Self.unsound
    }

    private mutating func applyArguments() throws(CommandFailure) {
        for text in arguments.all("--set") {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw CommandFailure(
                    "--set \(text): expected NAME=VALUE", status: CommandFailure.usage)
            }
            try set(String(parts[0]), String(parts[1]).nonEmpty)
        }
        for name in arguments.all("--read") {
            guard let value = Prompt.input()?.nonEmpty else {
                throw CommandFailure("--read \(name): standard input has no further line")
            }
            try set(name, value)
        }
        for name in arguments.all("--unset") { try set(name, nil) }
    }

    /// Throws for invalid values in this command's arguments. A setting that others need may be
    /// missing, because it can follow.
    private func refuse(_ problems: [String]) throws(CommandFailure) {
        let names =
            arguments.all("--read")
            + arguments.all("--set").map { $0.split(separator: "=").first.map(String.init) ?? "" }
        let refused = problems.filter { problem in
            names.contains { problem.hasPrefix("\($0) must ") && file.value($0) != nil }
        }
        guard !refused.isEmpty else { return }
        let lines = refused.map { problem in
            let name = String(problem.prefix { $0 != " " })
            let meant = file.value(name).flatMap { corrected(name, $0) }
            // The problem may contain the name already.
            return problem
                + (meant.map { problem.hasSuffix($0) ? "" : "; did you mean \($0)?" } ?? "")
        }
        throw CommandFailure(lines.joined(separator: "\n") + "\nNothing was written.")
    }

    /// Corrects an address that was typed without its scheme or with a slash at its end, if the
    /// server accepts the corrected one.
    private func corrected(_ name: String, _ value: String) -> String? {
        var address = value
        while address.hasSuffix("/") { address.removeLast() }
        if !value.utf8.contains(text: "://") {
            let isLocal = Authority(of: "http://\(address)").isLoopback
            address = "\(isLocal ? "http" : "https")://\(address)"
        }
        // A word such as "no" is not an address.
        guard address != value, address.contains(".") || address.hasPrefix("http://") else {
            return nil
        }
        var changed = self
        guard Authority(of: address).isPlain, (try? changed.set(name, address)) != nil,
            !(changed.problems() + changed.formProblems)
                .contains(where: { $0.hasPrefix("\(name) must ") })
        else { return nil }
        return address
    }

    private mutating func set(_ name: String, _ value: String?) throws(CommandFailure) {
        let isName =
            name.utf8.first.map { (0x41...0x5A).contains($0) } == true
            && name.utf8.allSatisfy { byte in
                (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
            }
        guard isName else {
            throw CommandFailure(
                "\(name) is not the name of a setting: capital letters, digits and _",
                status: CommandFailure.usage)
        }
        let isPresent = file.values.contains { $0.name == name }
        if value != nil || !isPresent, let refusal = SettingNames.refusal(of: name) {
            throw CommandFailure(refusal, status: CommandFailure.usage)
        }
        let group = SettingGroup.named(name)
        try file.set(name, value, among: group?.names ?? [], under: group?.title ?? "")
    }

    // MARK: Questions

    private mutating func ask() throws(CommandFailure) {
        Prompt.show(
            "Enter keeps the value in brackets, - removes it, Ctrl-C ends without a change.\n")
        for group in SettingGroup.all {
            Prompt.show("\n\(group.title)\n")
            var isOn = true
            if let gate = group.gate {
                isOn = try yesOrNo(gate, group.isOn(file))
                if let first = group.questions.first, first.isSwitch {
                    try set(first.name, isOn ? "on" : "off")
                    isOn = true
                }
            }
            for question in group.questions where !question.isSwitch {
                if !isOn || !question.isAsked(file) && question.isForMailUser {
                    try set(question.name, nil)
                } else if question.isAsked(file) {
                    try ask(question)
                }
            }
            if isOn, let missing = group.missingClient(file) { Prompt.show("  \(missing)\n") }
        }
        if file.value("MAIL_URL") != nil, testMailAddress == nil, canReadMailPassword,
            problems().isEmpty
        {
            testMailAddress = Prompt.line("Address for a test mail (Enter: none): ")?.nonEmpty
        }
        Prompt.show("\n")
    }

    private func yesOrNo(_ question: String, _ standard: Bool) throws(CommandFailure) -> Bool {
        while true {
            guard let answer = Prompt.line("\(question) (yes/no) [\(standard ? "yes" : "no")]: ")
            else { throw Self.ended }
            switch answer.lowercased() {
            case "": return standard
            case "y", "yes": return true
            case "n", "no": return false
            default: Prompt.show("Type yes or no.\n")
            }
        }
    }

    private static let ended = CommandFailure("ended: nothing was changed")

    private mutating func ask(_ question: SettingQuestion) throws(CommandFailure) {
        let name = question.name
        let before = file
        var offer: String?
        while true {
            let present = offer ?? file.value(name) ?? suggestion(for: name)
            let isBeside = secrets.beside(file).contains { $0.name == name }
            let shown =
                present.map { question.isSecret ? "is set" : $0 }
                ?? (isBeside ? "not in this file" : "not set")
            let text = "\(question.prompt)\n  \(name) [\(shown)]: "
            let typed = question.isSecret ? Prompt.secret(text) : Prompt.line(text)
            guard let typed else { throw Self.ended }
            let answer = Self.trimmed(typed)
            if answer.isEmpty || answer == "-" {
                let kept = answer.isEmpty ? present : nil
                if file.value(name) != kept { try set(name, kept) }
                guard question.isRepeated, kept == nil,
                    let problem = problems().first(where: { $0.hasPrefix("\(name) is required") })
                else { return }
                Prompt.show("  \(problem)\n")
                continue
            }
            do throws(CommandFailure) {
                try set(name, question.isFile ? Self.reference(answer) : answer)
            } catch {
                Prompt.show("  \(error.message)\n")
                continue
            }
            let problems = (problems() + formProblems).filter {
                $0.hasPrefix(name) || $0.utf8.contains(text: "or \(name)")
            }
            guard let problem = problems.first else { return }
            guard problem.hasPrefix("\(name) must ") else {
                // Other settings of the group may still be missing.
                return Prompt.show("  \(problem)\n")
            }
            file = before
            offer = corrected(name, answer)
            let old = offer ?? file.value(name) ?? suggestion(for: name)
            let kept = old.map { question.isSecret ? "the value before" : $0 } ?? "none"
            Prompt.show("  \(problem)\n  Type it again, or press Enter for \(kept).\n")
        }
    }

    /// The suggested value for a setting that is not set.
    private func suggestion(for name: String) -> String? {
        switch name {
        // The scheme is https, because a proxy in front has the certificate.
        case "TRUSTED_HOPS":
            return file.value("ISSUER")?.hasPrefix("https://") == true ? "1" : nil
        // If there is only one client ID, the pages use it too.
        case "GOOGLE_WEB_CLIENT_ID":
            let clients = file.list("GOOGLE_CLIENT_IDS")
            return clients.count == 1 ? clients[0] : nil
        case "ALLOWED_ORIGINS":
            return RegistrationGuide(file: file).unlistedOrigins.origins.joined(separator: ",")
                .nonEmpty
        default: return nil
        }
    }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }

    /// The absolute path, because a service starts in another folder.
    private static func reference(_ path: String) throws(CommandFailure) -> String {
        if path.hasPrefix("file:") || path.hasPrefix("secretsmanager:") || path.hasPrefix("ssm:") {
            return path
        }
        guard let real = realpath(path, nil) else {
            throw CommandFailure("\(path): \(String(cString: strerror(errno)))")
        }
        defer { free(real) }
        return "file:\(String(cString: real))"
    }

    // MARK: Results

    private func problems() -> [String] {
        let unread = secrets.beside(file).filter(\.isUnreadable).map(\.name)
        return LatchkeyFunction.problems(assembly.settings(values)).filter { problem in
            !unread.contains { problem.hasPrefix("\($0) ") || problem.hasPrefix("\($0):") }
        }
    }

    private var canReadMailPassword: Bool {
        !secrets.beside(file).contains { $0.isOfMail && $0.isUnreadable }
    }

    /// The settings of the server.
    private var values: [(name: String, value: String)] {
        file.values + secrets.beside(file).map { ($0.name, $0.value) }
    }

    /// Values that a server accepts, although the provider cannot have issued them.
    private var formProblems: [String] { IssuedNames.problems(file) }

    /// Returns whether all checks succeeded.
    private func check() -> Bool {
        let problems = problems()
        for problem in problems { Terminal.say("  bad  \(problem)") }
        var isGood = problems.isEmpty
        if !arguments.has("--no-checks") {
            let checks = SettingChecks(file: file, transport: assembly.transport)
            if !checks.run() { isGood = false }
        }
        for group in SettingGroup.all where group.isIdle(file) {
            Terminal.say("  bad  \(group.missingClient(file) ?? "")")
            isGood = false
        }
        if let (problem, remedy) = RegistrationGuide(file: file).unlistedOrigins.advice {
            Terminal.say("  note UI_RETURN: \(problem); \(remedy)")
        }
        if let problem = UndeliveredMails.problem(
            issuer: file.value("ISSUER") ?? "", mail: file.value("MAIL_URL"),
            hooks: file.value("HOOKS"))
        {
            Terminal.say("  note \(problem)")
        }
        if file.value("ISSUER")?.hasPrefix("https://") == true, file.value("TRUSTED_HOPS") == nil {
            Terminal.say(
                "  note TRUSTED_HOPS is not set: behind a proxy, which HTTPS needs here, set "
                    + "TRUSTED_HOPS=1, or all clients share the limits of the proxy's address")
        }
        for note in file.notesOnIssuer { Terminal.say("  note \(note)") }
        let idle = IdleOAuthSettings(
            isOn: file.value("OAUTH") == "on", isSet: { file.value($0) != nil })
        if let advice = idle.advice { Terminal.say("  note \(advice)") }
        for name in SettingNames.unknown(among: file.values.map(\.name)) {
            Terminal.say("  note \(name) in \(file.path) is not a setting")
        }
        for note in secrets.notes(file) { Terminal.say("  note \(note)") }
        guard canReadMailPassword else { return isGood }
        if let testMailAddress {
            if !problems.isEmpty {
                Terminal.say("  bad  test mail: not sent while a setting is wrong")
            } else if !sendsMail(to: testMailAddress) {
                isGood = false
            }
        } else if problems.isEmpty, file.value("MAIL_URL") != nil {
            Terminal.say("  note no test mail was sent: --test-mail ADDRESS sends one")
        }
        return isGood
    }

    private func sendsMail(to address: String) -> Bool {
        do throws(StartFailure) {
            let outcome = try LatchkeyFunction.sendTestMail(
                to: address, assembly.settings(values))
            Terminal.say("  ok   test mail: \(outcome)")
            return true
        } catch {
            Terminal.say("  bad  test mail: \(error.problems.joined(separator: "; "))")
            return false
        }
    }

    private var restart: String {
        guard file.path == StartSettings.packageFile else {
            let port = PlainConnection.localPort(file.value("ISSUER") ?? "")
            return file.path == StartSettings.standardFile
                ? "Start: latchkey serve 127.0.0.1:\(port)"
                : "Start: latchkey --env-file \(file.path) --listen 127.0.0.1:\(port)"
        }
        var text = "Start: systemctl enable --now latchkey; restart: systemctl restart latchkey"
        let files = file.values.filter { $0.value.hasPrefix("file:") }.map(\.name)
        if !files.isEmpty {
            text += """

                The service's user must be able to read the files of \
                \(files.joined(separator: ", ")); \
                otherwise
                systemd passes them: LoadCredential=NAME:PATH for each (systemctl edit latchkey).
                """
        }
        return text
    }
}

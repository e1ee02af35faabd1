internal import Bytes
internal import FunctionRuntime

/// Reads environment variables and collects errors, so that all problems of a new deployment are
/// reported at once. A problem contains the variable's name and the rule. It never contains the
/// value, unless that is an address.
struct SettingsReader {
    let environment: Environment
    let secrets: SecretSource
    /// The contract's own names of settings. The standard names are read if such a variable is
    /// absent.
    var names: [String: String] = [:]
    /// The contract's defaults of settings that the environment does not set.
    var defaults: [String: String] = [:]
    private(set) var problems: [String] = []
    /// The names of the settings that were read as secrets.
    private(set) var secretNames: [String] = []

    init(_ environment: Environment, secrets: SecretSource) {
        self.environment = environment
        self.secrets = secrets
    }

    /// - Parameter problem: must begin with the name of the setting.
    mutating func refuse(_ problem: String) {
        let name = String(problem.prefix { $0.isUppercase || $0.isNumber || $0 == "_" })
        let used = names[name].flatMap { environment[$0] == nil ? nil : $0 } ?? name
        let isCommented = environment[used]?.utf8.contains(text: " #") ?? false
        let hint = isCommented ? "; a comment needs a line of its own" : ""
        problems.append(used + problem.dropFirst(name.count) + hint)
    }

    /// The part of a message that names a wrong entry in a list of addresses. Addresses are not
    /// secret.
    static func naming(_ entry: String?, because problem: String = "is not valid") -> String {
        if let entry, isHost(entry) {
            let isLocal = entry.hasPrefix("localhost")
            return "; \(entry) lacks \(isLocal ? "http" : "https")://"
        }
        return entry.flatMap(shown).map { "; \($0) \(problem)" } ?? ""
    }

    /// `app.example.com` or `localhost:3000`, perhaps with a path. A text in capital letters, or
    /// without a dot, may be a secret in the wrong setting.
    private static func isHost(_ entry: String) -> Bool {
        let host = entry.prefix { $0 != "/" && $0 != ":" }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last, labels.count > 1 || host == "localhost",
            labels.allSatisfy({ label in
                !label.isEmpty
                    && label.utf8.allSatisfy { $0.isLowercase || $0.isDigit || $0 == 0x2D }
            }), last.utf8.count >= 2, last.utf8.allSatisfy(\.isLowercase)
        else { return false }
        return shown("https://" + entry) != nil
            && !entry.dropFirst(host.utf8.count).hasPrefix(":/")
    }

    /// The address, if a message may repeat it: plain text without a user's name or password. A
    /// text that is not an address may be a secret in the wrong setting.
    static func shown(_ address: String) -> String? {
        let isPlain = address.utf8.allSatisfy {
            (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "@")
        }
        return isPlain && address.utf8.count <= 255 && address.utf8.contains(text: "://")
            ? address : nil
    }

    /// The part of a message that names a wrong origin. Many people add a slash at its end.
    static func naming(origin entry: String?) -> String {
        naming(
            entry, because: entry?.hasSuffix("/") == true ? "ends with a slash" : "is not valid")
    }

    /// Reports a variable that is not a setting, with the name of the setting that was probably
    /// meant.
    mutating func refuse(misspelt name: String, _ setting: String) {
        problems.append(
            "\(name) is not a setting; did you mean \(setting)? If another program needs "
                + "\(name), also set \(setting); it may be empty.")
    }

    func text(_ name: String) -> String? {
        names[name].flatMap { environment[$0] } ?? environment[name] ?? defaults[name]
    }

    /// `a,b c` → `a`, `b`, `c`.
    func list(_ name: String) -> [String] {
        (text(name) ?? "").split { $0 == "," || $0 == " " }.map(String.init)
    }

    mutating func integer(_ name: String, _ range: ClosedRange<Int64>) -> Int64? {
        guard let raw = text(name) else { return nil }
        guard raw.utf8.allSatisfy(\.isDigit), let value = Int64(raw),
            range.contains(value)
        else {
            refuse("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return value
    }

    mutating func choice<Choice>(_ name: String, _ type: Choice.Type) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let raw = text(name) else { return nil }
        if let choice = type.allCases.first(where: { $0.rawValue.isSame(as: raw) }) {
            return choice
        }
        refuse("\(name) must be one of \(type.allCases.map(\.rawValue).joined(separator: ", "))")
        return nil
    }

    /// A secret by value, by file (`file:/run/secrets/x`) or by reference
    /// (`secretsmanager:name`, `ssm:/name`, `kms:ciphertext`).
    mutating func secret(_ name: String) -> SecretBytes? {
        secretNames += [name] + (names[name].map { [$0] } ?? [])
        guard let raw = text(name) else { return nil }
        do {
            return try secrets.resolve(raw)
        } catch {
            refuse("\(name): \(error.explanation)")
            return nil
        }
    }

    /// Several secrets, each in one of the forms of `secret`, separated by commas. A reference may
    /// contain several secrets, one per line.
    mutating func secrets(_ name: String) -> [SecretBytes] {
        secretNames += [name] + (names[name].map { [$0] } ?? [])
        var all: [SecretBytes] = []
        for raw in (text(name) ?? "").split(separator: ",") {
            do {
                let found = try secrets.resolve(String(raw.trimmingSpaces))
                let bytes = found.reveal()
                // A key file may be binary.
                let isText = bytes.allSatisfy {
                    $0 == 0x0A || $0 == 0x0D || (0x20..<0x7F).contains($0)
                }
                let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }
                all += isText ? lines.map { SecretBytes(Array($0)) } : [found]
            } catch {
                refuse("\(name): \(error.explanation)")
            }
        }
        return all
    }

    /// The bytes of a file that is not secret.
    mutating func file(_ name: String) -> [UInt8]? {
        guard let path = text(name) else { return nil }
        // The value may be a secret that was set instead of its file.
        let isPath = ["/", "./", "../"].contains(where: path.hasPrefix)
        do {
            return try SecretFile.read(path, named: isPath ? path : "the file")
        } catch {
            refuse("\(name): \(error.explanation)")
            return nil
        }
    }
}

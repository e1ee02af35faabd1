internal import Bytes
internal import FunctionRuntime

/// Reads environment variables and collects what is wrong with them, so that a new deployment is
/// told everything at once. A problem names the variable and the rule, never the value.
struct SettingsReader {
    let environment: Environment
    let secrets: SecretSource
    private(set) var problems: [String] = []

    init(_ environment: Environment, secrets: SecretSource) {
        self.environment = environment
        self.secrets = secrets
    }

    mutating func refuse(_ problem: String) { problems.append(problem) }

    func text(_ name: String) -> String? { environment[name] }

    /// `a,b c` → `a`, `b`, `c`.
    func list(_ name: String) -> [String] {
        (environment[name] ?? "").split { $0 == "," || $0 == " " }.map(String.init)
    }

    mutating func integer(_ name: String, _ range: ClosedRange<Int64>) -> Int64? {
        guard let raw = environment[name] else { return nil }
        guard raw.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int64(raw),
            range.contains(value)
        else {
            refuse("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return value
    }

    mutating func choice<Choice>(_ name: String, _ type: Choice.Type) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let raw = environment[name] else { return nil }
        if let choice = type.allCases.first(where: { $0.rawValue.isSame(as: raw) }) {
            return choice
        }
        refuse("\(name) must be one of \(type.allCases.map(\.rawValue).joined(separator: ", "))")
        return nil
    }

    /// A secret by value, by file (`file:/run/secrets/x`) or by reference
    /// (`secretsmanager:name`, `ssm:/name`).
    mutating func secret(_ name: String) -> SecretBytes? {
        guard let raw = environment[name] else { return nil }
        do {
            return try secrets.resolve(raw)
        } catch {
            refuse("\(name): \(error.explanation)")
            return nil
        }
    }

    /// The bytes of a file that is no secret.
    mutating func file(_ name: String) -> [UInt8]? {
        guard let path = environment[name] else { return nil }
        do {
            return try SecretFile.read(path)
        } catch {
            refuse("\(name): \(error.explanation)")
            return nil
        }
    }

    consuming func finish() throws(StartFailure) {
        guard problems.isEmpty else { throw StartFailure(problems: problems) }
    }
}

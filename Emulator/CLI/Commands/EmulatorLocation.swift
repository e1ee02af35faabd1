internal import EmulatorApp
internal import EmulatorBase

/// The address of the running emulator: from `--url`, the environment variable, the file in the
/// data directory below this folder, or the default port.
struct EmulatorLocation: Sendable {
    static let variable = "LATCHKEY_EMULATOR_URL"
    static let urlDefault = "http://127.0.0.1:8000"
    static let flag = Flag(
        "--url", "URL",
        "The address of the emulator, its app, AWS or control port. Default: the value of\n"
            + "\(variable), the address of the emulator that runs in this\n"
            + "folder (\(ServeOptions.dataDefault)/\(AddressFile.name)), or \(urlDefault)")

    let url: String
    /// Whether the address was given by the user or found in a file, and is not the default.
    let isKnown: Bool
    /// A remark that is added to the error if no emulator answers.
    private(set) var remark = ""

    init(_ arguments: Arguments) throws(UsageError) {
        if let url = arguments.text(Self.flag.name) {
            self.init(url: try Self.checked(url, Self.flag.name), isKnown: true)
        } else if let url = EnvironmentVariables.variable(Self.variable), !url.isEmpty {
            self.init(url: try Self.checked(url, Self.variable), isKnown: true)
        } else {
            switch AddressFile.find(in: ServeOptions.dataDefault) {
            case .running(let url): self.init(url: url, isKnown: true)
            case .stale(let path):
                self.init(url: Self.urlDefault, isKnown: false)
                remark = "; \(path) belongs to an emulator that was killed"
            case nil: self.init(url: Self.urlDefault, isKnown: false)
            }
        }
    }

    private init(url: String, isKnown: Bool) {
        self.url = url
        self.isKnown = isKnown
    }

    private static func checked(_ text: String, _ name: String) throws(UsageError) -> String {
        var url = text
        while url.hasSuffix("/") { url.removeLast() }
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw UsageError(
                description: "invalid value '\(url)' for \(name): expected an http URL")
        }
        return url
    }
}

internal import AuthOperations
internal import Bytes
internal import FunctionRuntime

/// The report of a server to its operator at start: the addresses that a browser can open, where
/// the data is stored, and which settings turn which features on or off.
struct ServerAnnouncement: Sendable {
    struct Line: Sendable {
        /// The name in the log.
        let name: StaticString
        let title: String
        let isOn: Bool
        let detail: String
        /// The setting that switches the feature on or changes it.
        let setting: StaticString
    }

    /// A page or a file.
    struct Place: Sendable {
        let title: String
        let address: String
        let setting: StaticString?
    }

    let title: String
    let pages: [Place]
    let files: [Place]
    let features: [Line]
    let issuer: String
    var administrator = AdministratorAnnouncement()
    let unlistedOrigins: UnlistedOrigins
    let idleOAuthSettings: IdleOAuthSettings
    /// A warning about an issuer with a path; nil if its links open.
    let unservedPath: String?
    /// Set if nobody receives the mails of a public server.
    let undeliveredMails: String?
    /// The address for other machines; nil if the links in mails already have it.
    let otherMachines: String?
    /// A settings file in this folder that the server does not use.
    var unusedFile: String?
    /// Names in files of settings that are not settings.
    var unknownSettings: [String] = []
    /// Whether the server has read the settings file in this folder, although no option names it.
    var readsFile = false

    /// Writes a table for a person at a terminal, and one log line otherwise.
    func write(to log: Log, say: (String) -> Void) {
        if log.form == .text {
            say(table)
        } else {
            log.info(.features, features.map { ($0.name, .failureDetail($0.state)) })
            if readsFile {
                log.info(
                    .settingsFileRead, ["file": .failureDetail(StartSettings.standardFile)])
            }
        }
        if let otherMachines, log.form == .text { say("\(otherMachines)\n\n") }
        warn(of: undeliveredMails, .mailsNotDelivered, log, say)
        if let (problem, remedy) = unlistedOrigins.advice {
            if log.form == .text {
                say("UI_RETURN: \(problem);\n\(remedy)\n\n")
            } else {
                log.info(
                    .originsNotAllowed,
                    ["problem": .startProblem(problem), "remedy": .startProblem(remedy)])
            }
        }
        warn(of: idleOAuthSettings.advice, .settingsUnused, log, say)
        warn(of: unknownNames, .settingsUnknown, log, say)
        warn(of: unservedPath, .issuerPathNotServed, log, say)
        if let unusedFile {
            let use = "latchkey --env-file \(unusedFile) serve"
            if log.form == .text {
                say("\(unusedFile) in this folder is not used. To use it: \(use)\n\n")
            } else {
                log.error(.settingsFileUnused, ["use": .failureDetail(use)])
            }
        }
        if let text = administrator.text(issuer: issuer) { say(text) }
    }

    private func warn(
        of problem: String?, _ event: LogEvent, _ log: Log, _ say: (String) -> Void
    ) {
        guard let problem else { return }
        if log.form == .text {
            say("\(problem).\n\n")
        } else {
            log.error(event, ["problem": .startProblem(problem)])
        }
    }

    private var unknownNames: String? {
        unknownSettings.isEmpty
            ? nil
            : "Not settings, although in a file of settings: "
                + unknownSettings.joined(separator: ", ")
    }

    /// The table has at most 30 lines in a default deployment, including the lines about the
    /// administrator.
    private var table: String {
        let settings =
            readsFile
            ? [Place(title: "Settings", address: "./\(StartSettings.standardFile)", setting: nil)]
            : []
        let places = (pages + settings + files).map {
            ($0.title, $0.address, $0.setting?.description ?? "")
        }
        let shown = Set(files.compactMap { $0.setting?.description } + ["ISSUER"])
        let on = features.filter { $0.isOn && !shown.contains($0.setting.description) }
            .map { ("on   \($0.title)", $0.detail, $0.setting.description) }
        let off = features.filter { !$0.isOn }.map { "\($0.title) (\($0.setting))" }
        return "\(title)\n\n\(Self.aligned(places))\n\(Self.aligned(on))"
            + Self.wrapped(off, after: "  off  ") + "\n"
    }

    private static let detailWidthMax = 46
    private static let lineWidth = 80

    private static func aligned(_ rows: [(String, String, String)]) -> String {
        let titleWidth = rows.map(\.0.utf8.count).max() ?? 0
        let detailWidth = min(rows.map(\.1.utf8.count).max() ?? 0, detailWidthMax)
        return rows.map { title, detail, setting in
            let start = "  " + padded(title, titleWidth) + "  "
            return
                (setting.isEmpty
                ? start + detail : start + padded(detail, detailWidth) + "  " + setting) + "\n"
        }.joined()
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }

    private static func wrapped(_ words: [String], after start: String) -> String {
        guard !words.isEmpty else { return "" }
        var lines = [start]
        for (index, word) in words.enumerated() {
            let text = word + (index == words.count - 1 ? "" : ", ")
            if lines[lines.count - 1].utf8.count + word.utf8.count + 1 > lineWidth {
                lines.append(String(repeating: " ", count: start.utf8.count))
            }
            lines[lines.count - 1] += text
        }
        return lines.map { $0.hasSuffix(" ") ? String($0.dropLast()) : $0 }
            .joined(separator: "\n") + "\n"
    }
}

extension ServerAnnouncement.Line {
    fileprivate var state: String {
        guard isOn else { return "off, set \(setting)" }
        return detail.isEmpty ? "on" : "on: \(detail)"
    }
}

extension LogEvent {
    static let features = LogEvent("features")
    static let originsNotAllowed = LogEvent("origins_not_allowed")
    static let issuerPathNotServed = LogEvent("issuer_path_not_served")
    static let settingsUnused = LogEvent("settings_unused")
    static let settingsUnknown = LogEvent("settings_unknown")
    static let settingsFileUnused = LogEvent("settings_file_unused")
    static let settingsFileRead = LogEvent("settings_file_read")
    static let mailsNotDelivered = LogEvent("mails_not_delivered")
}

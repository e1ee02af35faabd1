internal import EmulatorBase
internal import EmulatorGateway
internal import EmulatorLambda
internal import EmulatorReplay

/// The text printed at the start.
struct Banner {
    let stack: DeployedStack
    let addresses: EmulatorAddresses
    let options: ServeOptions
    /// Whether the certificate authority of `--tls` was made at this start.
    let hasNewAuthority: Bool
    /// The host name in `--issuer-url`, if this machine finds no address for it.
    let unknownName: String?
    /// The active faults, one on each line.
    let faults: [String]

    /// A start without `--verbose` has at most this number of lines, so that the addresses and the
    /// problems remain on the screen.
    static let linesMax = 45
    private static let problemsMax = 6
    private static let differencesMax = 8
    private static let faultsMax = 6

    var text: String {
        let faultLines = section("active faults", faults, max: Self.faultsMax)
        let notes =
            section("problems", stack.problems, max: Self.problemsMax) + faultLines
            + section("differences from AWS", stack.differences, max: Self.differencesMax)
        let fixed = head + notes + addressLines
        var rest = options.isVerbose ? Int.max : Self.linesMax - fixed.count - Self.countLines
        var omitted: [String] = []
        let lists = self.lists.map { list in
            guard list.lines.count <= rest else {
                omitted.append(list.count)
                return [String]()
            }
            rest -= list.lines.count
            return list.lines
        }
        let counts =
            omitted.isEmpty
            ? [] : ["", "  \(omitted.joined(separator: ", ")): --verbose lists them"]
        return (head + lists.joined() + counts + notes + addressLines)
            .joined(separator: "\n")
    }

    private static let countLines = 2

    private var head: [String] {
        let state = options.data.map { "state in \($0)" } ?? "state in memory only"
        let names = options.templates.joined(separator: ", ")
        let store = options.store.map { ["the functions' state in \($0.description)"] } ?? []
        return ["emulator: \(names), \(options.mode.rawValue), \(state)"] + store
    }

    /// The lists. If they do not fit, their counts are printed instead.
    private var lists: [(lines: [String], count: String)] {
        let functions = stack.definitions.map { ("", $0.name) }
        let examples = stack.loaded.examples.flatMap { title, command in
            section(title, [("", addresses.filled(into: command))])
        }
        return [
            (section("routes", routes), Self.counted(routes.count, "route")),
            (section("functions", functions), Self.counted(functions.count, "function")),
            (section("schedules", schedules), Self.counted(schedules.count, "schedule")),
            (section("for an SDK or the AWS CLI", variables), "variables for an SDK"),
            (examples, Self.counted(stack.loaded.examples.count, "example command")),
        ]
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    private var variables: [(String, String)] {
        [
            "export AWS_ENDPOINT_URL=\(addresses.awsURL)",
            // boto3 and version 1 of the AWS CLI read only the second variable.
            "export AWS_REGION=\(AWSAccount.region) AWS_DEFAULT_REGION=\(AWSAccount.region)",
            "export AWS_ACCESS_KEY_ID=\(LocalIdentities.developerKeyID) "
                + "AWS_SECRET_ACCESS_KEY=\(LocalIdentities.developerSecret)",
        ].map { ("", $0) }
    }

    /// These lines are printed last, so that they remain visible after a long list of routes.
    private var addressLines: [String] {
        var lines = [""]
        if let playground = addresses.playgroundURL {
            lines.append(
                "  try it    \(playground)"
                    + note(
                        addresses.playgroundPort ?? 0, options.playgroundPort,
                        ServeOptions.playgroundPortDefault))
        }
        lines.append("  app       \(addresses.appURL)")
        lines.append("  AWS       \(addresses.awsURL)")
        lines.append(
            "  controls  \(addresses.controlURL)"
                + note(addresses.controlPort, options.controlPort, ServeOptions.controlPortDefault)
        )
        lines.append(
            "  mail      \(addresses.controlURL)/_emulator/mail, "
                + "SMTP on port \(addresses.smtpPort)"
                + note(addresses.smtpPort, options.smtpPort, ServeOptions.smtpPortDefault))
        if let tls = addresses.tls {
            lines.append("  HTTPS     https://127.0.0.1:\(tls.app) and :\(tls.aws)")
            if !options.names.texts.isEmpty {
                lines.append("            also as \(options.names.texts.joined(separator: ", "))")
            }
            lines.append(
                "            curl --cacert \(authorityFile)"
                    + (hasNewAuthority ? " (new: clients must trust it first)" : ""))
        }
        if !addresses.issuerURL.utf8.elementsEqual(addresses.appURL.utf8) {
            lines.append("  issuer    \(addresses.issuerURL)")
        }
        if let unknownName {
            lines += [
                "this machine does not find \(unknownName), so functions cannot fetch the",
                "providers' keys: add the line  127.0.0.1 \(unknownName)  to /etc/hosts",
            ].map { "            \($0)" }
        }
        return lines
    }

    /// The names are those that `emulator tick` accepts.
    private var schedules: [(String, String)] {
        stack.loaded.template.schedules.map {
            ($0.name, "\($0.function)\($0.isEnabled ? "" : " (disabled)")")
        }
    }

    private func note(_ port: UInt16, _ asked: UInt16?, _ usual: UInt16) -> String {
        guard asked == nil, port != usual else { return "" }
        return " (\(usual) is in use)"
    }

    private var authorityFile: String {
        options.data.map { "\($0)/\(HTTPSServers.folder)/\(LocalCertificates.File.authority)" }
            ?? "<(curl -s \(addresses.appURL)/_emulator/ca.pem)"
    }

    private var routes: [(String, String)] {
        RouteList(stack.loaded.template).rows.map { ($0.text, $0.function) }
    }

    private func section(_ title: String, _ lines: [String], max: Int) -> [String] {
        guard !options.isVerbose, lines.count > max else {
            return section(title, lines.map { ("", $0) })
        }
        let shown = section(title, lines.prefix(max).map { ("", $0) })
        return shown + ["  and \(lines.count - max) more: --verbose lists them"]
    }

    private func section(_ title: String, _ rows: [(String, String)]) -> [String] {
        guard !rows.isEmpty else { return [] }
        let width = rows.map(\.0.count).max() ?? 0
        return ["", title]
            + rows.map { left, right in
                guard width > 0 else { return "  \(right)" }
                return "  \(left)\(String(repeating: " ", count: width - left.count))  \(right)"
            }
    }
}

internal import EmulatorTemplate
internal import EmulatorBase
internal import EmulatorFunctions
internal import EmulatorGateway

/// The text printed at the start.
struct Banner {
    let stack: DeployedStack
    let addresses: EmulatorAddresses
    let options: ServeOptions
    /// The active faults, one on each line.
    let faults: [String]

    var text: String {
        var lines: [String] = []
        let state = options.data.map { "state in \($0)" } ?? "state in memory only"
        lines.append(
            "emulator: \(options.templates.joined(separator: ", ")), \(options.mode.rawValue), \(state)"
        )
        if let store = options.store {
            lines.append("the functions' state in \(store.description)")
        }
        lines += section("routes", routes)
        lines += section("functions", stack.definitions.map { ("", $0.name) })
        lines += section("schedules", schedules)
        lines += section(
            "for an SDK or the AWS CLI",
            [
                ("", "export AWS_ENDPOINT_URL=\(addresses.awsURL)"),
                // boto3 and version 1 of the AWS CLI read only the second variable.
                (
                    "",
                    "export AWS_REGION=\(AWSAccount.region) "
                        + "AWS_DEFAULT_REGION=\(AWSAccount.region)"
                ),
                (
                    "",
                    "export AWS_ACCESS_KEY_ID=\(LocalIdentities.developerKeyID) "
                        + "AWS_SECRET_ACCESS_KEY=\(LocalIdentities.developerSecret)"
                ),
            ])
        for (title, command) in stack.loaded.examples {
            lines += section(title, [("", addresses.filled(into: command))])
        }
        lines += section("faults that are on", faults.map { ("", $0) })
        lines += section("differences from AWS", stack.warnings.map { ("", $0) })
        return (lines + addressLines).joined(separator: "\n")
    }

    /// Printed last, so that a long list of routes does not scroll them off the screen.
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
            lines.append("            curl --cacert \(authorityFile)")
        }
        if !addresses.issuerURL.utf8.elementsEqual(addresses.appURL.utf8) {
            lines.append("  issuer    \(addresses.issuerURL)")
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

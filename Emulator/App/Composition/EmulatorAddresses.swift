/// The URLs of the endpoints on this machine.
package struct EmulatorAddresses: Sendable {
    /// The defaults, without any flag.
    package static let standard = EmulatorAddresses(
        appPort: 8000, awsPort: 8001, controlPort: ServeOptions.controlPortDefault,
        smtpPort: ServeOptions.smtpPortDefault)

    var appPort: UInt16
    var awsPort: UInt16
    var controlPort: UInt16
    var smtpPort: UInt16
    /// The port of the playground, with `--playground`.
    var playgroundPort: UInt16?
    /// The ports for TLS, with `--tls`.
    var tls: ServeOptions.TLSPorts?
    /// `--issuer-url`.
    var givenIssuer: String?
    /// The file of certificate authorities that functions trust: the machine's, and with `--tls`
    /// the emulator's.
    var trustedAuthorities: String?

    var appURL: String { "http://127.0.0.1:\(appPort)" }
    var awsURL: String { "http://127.0.0.1:\(awsPort)" }
    var controlURL: String { "http://127.0.0.1:\(controlPort)" }
    /// The playground's URL by name, because passkeys do not work with an IP address.
    var playgroundURL: String? { playgroundPort.map { "http://localhost:\($0)" } }

    /// The app endpoint by name, where browsers allow the passkeys of its pages.
    var localhostURL: String {
        tls.map { "https://localhost:\($0.app)" } ?? "http://localhost:\(appPort)"
    }

    /// The base URL of the emulator for the app: the issuer of its tokens and of the emulated
    /// identity providers. With `--tls` it is the HTTPS URL, because an HTTPS app refuses an HTTP
    /// issuer.
    var issuerURL: String { givenIssuer ?? tls.map { "https://127.0.0.1:\($0.app)" } ?? appURL }

    /// The app endpoint, as `Host` headers name it.
    var ownHosts: [String] {
        [appPort, tls?.app].compactMap(\.self).flatMap { ["127.0.0.1:\($0)", "localhost:\($0)"] }
    }

    /// A command of the template, with the placeholders filled in.
    func filled(into command: String) -> String {
        command.replacing("{url}", with: appURL).replacing("{awsUrl}", with: awsURL)
    }

    /// A parameter's value, with the placeholders filled in.
    func filled(intoValue text: String) -> String {
        text.replacing("{url}", with: issuerURL).replacing("{awsUrl}", with: awsURL)
            .replacing("{localhostUrl}", with: localhostURL)
            .replacing("{playgroundUrl}", with: playgroundURL ?? "")
    }

    /// The URL for the emulator's own requests: URLs under `issuerURL` are rewritten to this
    /// machine.
    func reachable(_ url: String) -> String {
        guard url.utf8.starts(with: issuerURL.utf8) else { return url }
        return appURL + String(Substring(url.utf8.dropFirst(issuerURL.utf8.count)))
    }
}

/// The URLs of the endpoints on this machine.
package struct EmulatorAddresses: Sendable {
    /// Without flags.
    package static let usual = EmulatorAddresses(
        appPort: 8000, awsPort: 8001, controlPort: ServeOptions.controlPortDefault,
        smtpPort: ServeOptions.smtpPortDefault)

    var appPort: UInt16
    var awsPort: UInt16
    var controlPort: UInt16
    var smtpPort: UInt16
    /// With `--tls`.
    var tls: ServeOptions.TLSPorts?
    /// `--issuer-url`.
    var givenIssuer: String?
    /// The authorities that functions are to trust: those of the machine, and with `--tls` our own.
    var trustedAuthorities: String?

    var appURL: String { "http://127.0.0.1:\(appPort)" }
    var awsURL: String { "http://127.0.0.1:\(awsPort)" }
    var controlURL: String { "http://127.0.0.1:\(controlPort)" }

    /// The URL under which the app knows this machine: of its tokens, and of the emulated identity
    /// providers. With `--tls` it is the HTTPS one, because an https app refuses an http issuer.
    var issuerURL: String { givenIssuer ?? tls.map { "https://127.0.0.1:\($0.app)" } ?? appURL }

    /// A command of the template.
    func filled(into command: String) -> String {
        command.replacing("{url}", with: appURL).replacing("{awsUrl}", with: awsURL)
    }

    /// The value of a parameter.
    func filled(intoValue text: String) -> String {
        text.replacing("{url}", with: issuerURL).replacing("{awsUrl}", with: awsURL)
    }

    /// Where we ourselves reach a URL: what is below the issuer's is on this machine.
    func reachable(_ url: String) -> String {
        guard url.utf8.starts(with: issuerURL.utf8) else { return url }
        return appURL + String(Substring(url.utf8.dropFirst(issuerURL.utf8.count)))
    }
}

/// The URLs of the endpoints on this machine.
struct EmulatorAddresses: Sendable {
    var appPort: UInt16
    var awsPort: UInt16
    var smtpPort: UInt16
    /// With `--tls`.
    var tls: ServeOptions.TLSPorts?

    var appURL: String { "http://127.0.0.1:\(appPort)" }
    var awsURL: String { "http://127.0.0.1:\(awsPort)" }

    func filled(into text: String) -> String {
        text.replacing("{url}", with: appURL).replacing("{awsUrl}", with: awsURL)
    }
}

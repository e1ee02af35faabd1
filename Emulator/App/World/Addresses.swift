/// Where the two sides are reached from this machine.
struct Addresses: Sendable, Equatable {
    var appPort: UInt16
    var awsPort: UInt16

    var appURL: String { "http://127.0.0.1:\(appPort)" }
    var awsURL: String { "http://127.0.0.1:\(awsPort)" }

    func identityURL(_ name: String) -> String { "\(appURL)/_idp/\(name)" }

    func filled(into text: String) -> String {
        text.replacing("{url}", with: appURL).replacing("{awsUrl}", with: awsURL)
    }
}

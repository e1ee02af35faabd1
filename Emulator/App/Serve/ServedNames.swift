internal import Bytes
internal import Cryptography
internal import EmulatorAWS
internal import EmulatorBase

/// The names and addresses by which other machines reach this emulator: a phone on the desk.
package struct ServedNames: Sendable, Equatable {
    /// The names, in lower case.
    private(set) var names: [String] = []
    private(set) var addresses: [[UInt8]] = []
    /// The host name in `--issuer-url`. Functions must be able to resolve it too.
    private(set) var issuerName: String?

    package static let none = ServedNames()

    private init() {}

    /// The host of `--issuer-url`; with `--host 0.0.0.0` also the machine's name in multicast DNS
    /// and the addresses of its interfaces.
    package init(_ options: ServeOptions) {
        if let url = options.issuerURL, let host = Self.host(of: url) {
            if let address = IPAddress(four: host) {
                addresses.append(address.bytes)
            } else if !host.hasSuffix("localhost") {
                names.append(host)
                issuerName = host
            }
        }
        guard options.host == .everywhere else { return }
        let name = "\(ThisMachine.name).local"
        if !names.containsText(name), Self.isName(name) { names.append(name) }
        for address in ThisMachine.addresses where !addresses.contains(address) {
            addresses.append(address)
        }
        addresses.removeAll { $0[0] == 127 }
    }

    /// The names in the certificate of the HTTPS ports.
    var certificateHosts: [CertificateHost] {
        names.map { .name($0) } + addresses.map { .ipv4($0[0], $0[1], $0[2], $0[3]) }
    }

    /// The addresses as texts for people.
    var texts: [String] {
        names + addresses.map { $0.map { String($0) }.joined(separator: ".") }
    }

    func contains(_ name: String) -> Bool { names.containsText(name) }

    /// `https://my-mac.local:8443`
    private static func host(of url: String) -> String? {
        guard let mark = url.utf8.firstOccurrence(of: "://") else { return nil }
        let authority = url[mark.upperBound...].prefix { $0 != "/" }
        guard !authority.hasPrefix("[") else { return nil }
        return String(authority.prefix { $0 != ":" }).asciiLowercased
    }

    private static func isName(_ name: String) -> Bool {
        !name.hasPrefix(".") && !name.hasPrefix("-")
            && name.utf8.allSatisfy { $0.isLetterOrDigit || $0 == 0x2D || $0 == 0x2E }
    }
}

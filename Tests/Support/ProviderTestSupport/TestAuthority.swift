package import Cryptography
package import EmulatorBase
internal import Time

/// An authority of one test, which issues certificates for servers on this machine.
package struct TestAuthority: Sendable {
    private let authority: CertificateAuthority

    /// The name of servers that only the test's own name server resolves.
    package static let domain = "provider.test"

    package var pem: String { authority.certificate.pem }

    package init() throws {
        let now = WallClock.system.now()
        authority = try .make(
            limitedTo: [.name("localhost"), .name(Self.domain)],
            validity: now - .days(10)..<now + .days(10), random: .system)
    }

    package enum Age: Sendable { case current, expired, future }

    package func identity(_ hosts: [CertificateHost], _ age: Age = .current) throws
        -> ServerIdentity
    {
        let now = WallClock.system.now()
        let validity =
            switch age {
            case .current: now - .days(1)..<now + .days(1)
            case .expired: now - .days(2)..<now - .days(1)
            case .future: now + .days(1)..<now + .days(2)
            }
        let key = try P256PrivateKey.generate(random: .system)
        let certificate = try authority.issue(
            to: key, name: "test", hosts: hosts, validity: validity, random: .system)
        return ServerIdentity(chainPEM: Array(certificate.pem.utf8), keyPEM: try key.pem())
    }
}

internal import Bytes
package import Cryptography
package import Time

/// A local certificate authority and a server certificate for local host names; clients must trust
/// `authorityPEM`.
package struct LocalCertificates: Sendable {
    /// The certificate for clients to trust: `curl --cacert`.
    package let authorityPEM: String
    package let identity: ServerIdentity
    package let expiresAt: Instant
    /// Whether clients must trust this authority anew, even if they trusted the previous one.
    package let isNewAuthority: Bool

    /// The name constraints of the authority; `localhost` includes its subdomains.
    static let limits: [CertificateHost] = [
        .name("localhost"), .ipv4(127, 0, 0, 1), .ipv6Loopback,
    ]
    static let hosts: [CertificateHost] = [
        .name("localhost"), .name("*.localhost"), .ipv4(127, 0, 0, 1), .ipv6Loopback,
    ]

    /// The limits of an authority whose certificates are also for names and addresses of the local
    /// network: names below `.local` and private addresses (RFC 1918, RFC 3927), so that the
    /// authority need not change with the network. Other hosts are listed one by one.
    static func limits(for others: [CertificateHost]) -> [CertificateHost] {
        guard !others.isEmpty else { return limits }
        return limits + networks + others.filter { !isOfNetwork($0) }
    }

    private static let networks: [CertificateHost] = [
        .name("local"), .network(10, 0, 0, 0, bits: 8), .network(172, 16, 0, 0, bits: 12),
        .network(192, 168, 0, 0, bits: 16), .network(169, 254, 0, 0, bits: 16),
    ]

    private static func isOfNetwork(_ host: CertificateHost) -> Bool {
        switch host {
        case .name(let name): name.has(suffix: ".local") || name.has(suffix: ".localhost")
        case .ipv4(10, _, _, _), .ipv4(192, 168, _, _), .ipv4(169, 254, _, _): true
        case .ipv4(172, let second, _, _): (16...31).contains(second)
        case .ipv4, .network, .ipv6Loopback: false
        }
    }

    static let authorityLife = Span.days(730)
    static let serverLife = Span.days(30)
    static let renewedBefore = Span.days(7)
    /// The certificate is backdated, because a container's clock may be behind.
    private static let backdatedBy = Span.hours(1)

    init(
        _ authority: CertificateAuthority, isNew: Bool, _ server: Certificate, _ key: SecretBytes
    ) {
        authorityPEM = authority.certificate.pem
        identity = ServerIdentity(chainPEM: Array(server.pem.utf8), keyPEM: key)
        expiresAt = server.validity.upperBound
        isNewAuthority = isNew
    }

    /// Makes certificates that are not stored.
    ///
    /// - Parameter others: names and addresses in addition to this machine's own.
    package static func make(
        others: [CertificateHost] = [], now: Instant, random: RandomSource
    ) throws(CryptoFailure) -> LocalCertificates {
        let authority = try makeAuthority(limits(for: others), now: now, random: random)
        let key = try P256PrivateKey.generate(random: random)
        let server = try makeServer(authority, key, hosts + others, now: now, random: random)
        return LocalCertificates(authority, isNew: true, server, try key.pem())
    }

    static func makeAuthority(
        _ limits: [CertificateHost], now: Instant, random: RandomSource
    ) throws(CryptoFailure) -> CertificateAuthority {
        try .make(
            limitedTo: limits, validity: now - backdatedBy..<now + authorityLife, random: random)
    }

    static func makeServer(
        _ authority: CertificateAuthority, _ key: P256PrivateKey, _ hosts: [CertificateHost],
        now: Instant, random: RandomSource
    ) throws(CryptoFailure) -> Certificate {
        try authority.issue(
            to: key, name: "localhost", hosts: hosts,
            validity: now - backdatedBy..<now + serverLife, random: random)
    }
}

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
    /// True if clients that trusted the previous authority must be given this one.
    package let isNewAuthority: Bool

    /// The name constraints of the authority; `localhost` includes its subdomains.
    static let limits: [CertificateHost] = [
        .name("localhost"), .ipv4(127, 0, 0, 1), .ipv6Loopback,
    ]
    static let hosts: [CertificateHost] = [
        .name("localhost"), .name("*.localhost"), .ipv4(127, 0, 0, 1), .ipv6Loopback,
    ]

    static let authorityLife = Span.days(730)
    static let serverLife = Span.days(30)
    static let renewedBefore = Span.days(7)
    /// A container's clock may be behind.
    private static let backdatedBy = Span.hours(1)

    init(
        _ authority: CertificateAuthority, isNew: Bool, _ server: Certificate, _ key: SecretBytes
    ) {
        authorityPEM = authority.certificate.pem
        identity = ServerIdentity(chainPEM: Array(server.pem.utf8), keyPEM: key)
        expiresAt = server.validity.upperBound
        isNewAuthority = isNew
    }

    /// Makes certificates that are not stored. `names` are additional names below `.localhost`, for
    /// clients that do not match them with `*.localhost` (OpenSSL requires two dots after the
    /// wildcard).
    package static func make(
        names: [String] = [], now: Instant, random: RandomSource
    ) throws(CryptoFailure) -> LocalCertificates {
        let authority = try makeAuthority(now: now, random: random)
        let key = try P256PrivateKey.generate(random: random)
        let server = try makeServer(
            authority, key, hosts + names.map { .name($0) }, now: now, random: random)
        return LocalCertificates(authority, isNew: true, server, try key.pem())
    }

    static func makeAuthority(
        now: Instant, random: RandomSource
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

internal import Bytes
package import Cryptography
internal import Glibc
package import Time

package enum CertificatesFailure: Error, Sendable, Equatable {
    /// A file of the directory cannot be read or written.
    case file(name: String, code: Int32)
    case cryptography(CryptoFailure)
}

extension CertificatesFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .file(let name, let code): unsafe "\(name): \(String(cString: strerror(code)))"
        case .cryptography: "the key or the certificate could not be made"
        }
    }
}

extension LocalCertificates {
    /// The file names in the directory.
    package enum File {
        package static let authority = "ca.pem"
        static let authorityKey = "ca.key"
        package static let server = "server.pem"
        static let serverKey = "server.key"
    }

    /// The certificates in the directory; missing, damaged or expiring ones are replaced.
    ///
    /// The authority's private key is kept too, readable by its owner only. Without it every
    /// renewal would need a new authority, and clients would have to trust a new one each month.
    /// Its name constraints limit it to local host names. If `others` are given, they also allow
    /// the local network and `others`. It is replaced only if they do not allow one of `others`.
    package static func load(
        directory: String, others: [CertificateHost] = [], now: Instant, random: RandomSource
    ) throws(CertificatesFailure) -> LocalCertificates {
        let folder = CertificateFolder(path: directory)
        try folder.make()
        let (authority, isNew) = try authority(
            folder, limits(for: others), now: now, random: random)
        let hosts = hosts + others
        let server = try server(folder, authority, hosts, now: now, random: random)
        return try cryptographic { () throws(CryptoFailure) in
            LocalCertificates(authority, isNew: isNew, server.certificate, try server.key.pem())
        }
    }

    private typealias Server = (certificate: Certificate, key: P256PrivateKey)

    private static func authority(
        _ folder: CertificateFolder, _ limits: [CertificateHost], now: Instant,
        random: RandomSource
    ) throws(CertificatesFailure) -> (CertificateAuthority, isNew: Bool) {
        if let kept = try keptAuthority(folder, limits, now: now) { return (kept, false) }
        return (try newAuthority(folder, limits, now: now, random: random), true)
    }

    private static func server(
        _ folder: CertificateFolder, _ authority: CertificateAuthority, _ hosts: [CertificateHost],
        now: Instant, random: RandomSource
    ) throws(CertificatesFailure) -> Server {
        if let kept = try keptServer(folder, authority, hosts, now: now) { return kept }
        return try newServer(folder, authority, hosts, now: now, random: random)
    }

    /// The authority must be valid for longer than the server certificates that it signs.
    private static func keptAuthority(
        _ folder: CertificateFolder, _ limits: [CertificateHost], now: Instant
    ) throws(CertificatesFailure) -> CertificateAuthority? {
        guard let certificate = try folder.certificate(File.authority),
            let key = try folder.key(File.authorityKey),
            let authority = try? CertificateAuthority(certificate: certificate, key: key),
            isCurrent(certificate, now: now, spare: serverLife),
            limits == self.limits || certificate.isLimited(to: limits)
        else { return nil }
        return authority
    }

    private static func newAuthority(
        _ folder: CertificateFolder, _ limits: [CertificateHost], now: Instant,
        random: RandomSource
    ) throws(CertificatesFailure) -> CertificateAuthority {
        let (authority, key) = try cryptographic { () throws(CryptoFailure) in
            let authority = try makeAuthority(limits, now: now, random: random)
            return (authority, try authority.key.pem())
        }
        try folder.write(File.authorityKey, key.reveal(), isSecret: true)
        try folder.write(File.authority, Array(authority.certificate.pem.utf8), isSecret: false)
        return authority
    }

    private static func keptServer(
        _ folder: CertificateFolder, _ authority: CertificateAuthority, _ hosts: [CertificateHost],
        now: Instant
    ) throws(CertificatesFailure) -> Server? {
        guard let certificate = try folder.certificate(File.server),
            let key = try folder.key(File.serverKey), certificate.belongs(to: key),
            certificate.isSigned(by: authority.certificate), certificate.names(hosts),
            isCurrent(certificate, now: now, spare: renewedBefore)
        else { return nil }
        return (certificate, key)
    }

    private static func newServer(
        _ folder: CertificateFolder, _ authority: CertificateAuthority, _ hosts: [CertificateHost],
        now: Instant, random: RandomSource
    ) throws(CertificatesFailure) -> Server {
        let (server, key) = try cryptographic { () throws(CryptoFailure) in
            let key = try P256PrivateKey.generate(random: random)
            let certificate = try makeServer(authority, key, hosts, now: now, random: random)
            return (Server(certificate, key), try key.pem())
        }
        // After a crash between the two writes the pair does not match and is replaced.
        try folder.write(File.serverKey, key.reveal(), isSecret: true)
        try folder.write(File.server, Array(server.certificate.pem.utf8), isSecret: false)
        return server
    }

    private static func isCurrent(_ certificate: Certificate, now: Instant, spare: Span) -> Bool {
        certificate.validity.contains(now) && certificate.validity.contains(now + spare)
    }

    private static func cryptographic<Result>(
        _ body: () throws(CryptoFailure) -> Result
    ) throws(CertificatesFailure) -> Result {
        do throws(CryptoFailure) { return try body() } catch { throw .cryptography(error) }
    }
}

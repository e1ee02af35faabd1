internal import Bytes
internal import COpenSSL
package import Time

/// A certificate authority with name constraints, for development.
///
/// It binds itself: its certificate says, critically, for which hosts it may ever speak, and that
/// no authority may be below it. A client that trusts it trusts it with nothing else.
package struct CertificateAuthority: Sendable {
    package let certificate: Certificate
    package let key: P256PrivateKey

    private static let organization = "Latchkey emulator"

    /// The two parts as they were kept; they must belong together.
    package init(certificate: Certificate, key: P256PrivateKey) throws(CryptoFailure) {
        guard certificate.belongs(to: key), certificate.isSigned(by: certificate),
            X509_check_ca(certificate.handle.pointer) == 1
        else { throw .invalidKey }
        self.certificate = certificate
        self.key = key
    }

    /// A new one that may speak for these hosts and the subdomains of the names among them.
    package static func make(
        limitedTo hosts: [CertificateHost], validity: Range<Instant>, random: RandomSource
    ) throws(CryptoFailure) -> CertificateAuthority {
        guard let limits = list(hosts.map { $0.constraint.map { "permitted;" + $0 } }) else {
            throw .malformed
        }
        let key = try P256PrivateKey.generate(random: random)
        let form = try CertificateForm()
        try form.set(serial: random)
        try form.set(validity: validity)
        // Two authorities of one name would be mistaken for one another in a client's list.
        let mark = Hex.encode(random.bytes(4))
        try form.set(subject: organization, "Latchkey local authority \(mark)")
        try form.set(publicKeyOf: key)
        try form.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
        try form.add(NID_key_usage, "critical,keyCertSign")
        try form.add(NID_name_constraints, "critical," + limits)
        try form.add(NID_subject_key_identifier, "hash")
        return try CertificateAuthority(certificate: form.signed(by: key), key: key)
    }

    /// A certificate for a server with these hosts.
    package func issue(
        to key: P256PrivateKey, name: String, hosts: [CertificateHost], validity: Range<Instant>,
        random: RandomSource
    ) throws(CryptoFailure) -> Certificate {
        guard let names = Self.list(hosts.map(\.configuration)) else { throw .malformed }
        let authority = certificate.handle.pointer
        let form = try CertificateForm()
        try form.set(serial: random)
        try form.set(validity: validity)
        try form.set(subject: Self.organization, name)
        try form.set(publicKeyOf: key)
        try form.add(NID_basic_constraints, "critical,CA:FALSE")
        try form.add(NID_key_usage, "critical,digitalSignature")
        try form.add(NID_ext_key_usage, "serverAuth")
        try form.add(NID_subject_alt_name, names)
        try form.add(NID_subject_key_identifier, "hash")
        try form.add(NID_authority_key_identifier, "keyid:always", issuedBy: authority)
        return try form.signed(by: self.key, of: authority)
    }

    /// A list of the configuration language; nil when it would be empty or one of it is not there.
    static func list(_ texts: [String?]) -> String? {
        let present = texts.compactMap(\.self)
        return present.count == texts.count && !present.isEmpty
            ? present.joined(separator: ",") : nil
    }
}

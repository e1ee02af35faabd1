internal import Bytes
internal import COpenSSL
package import Time

/// A certificate authority with name constraints, for development.
///
/// Critical extensions in its certificate limit it to these hosts (RFC 5280 section 4.2.1.10) and
/// forbid intermediate authorities. So a client that trusts the authority trusts it only for these
/// hosts.
package struct CertificateAuthority: Sendable {
    package let certificate: Certificate
    package let key: P256PrivateKey

    private static let organization = "Latchkey emulator"

    /// Creates the authority from a stored certificate and key. Throws if they do not belong
    /// together.
    package init(certificate: Certificate, key: P256PrivateKey) throws(CryptoFailure) {
        guard certificate.belongs(to: key), certificate.isSigned(by: certificate),
            X509_check_ca(certificate.handle.pointer) == 1
        else { throw .invalidKey }
        self.certificate = certificate
        self.key = key
    }

    /// Makes a new authority for these hosts and for subdomains of the names among them.
    package static func make(
        limitedTo hosts: [CertificateHost], validity: Range<Instant>, random: RandomSource
    ) throws(CryptoFailure) -> CertificateAuthority {
        guard let limits = limits(hosts) else { throw .malformed }
        let key = try P256PrivateKey.generate(random: random)
        let form = try CertificateForm()
        try form.set(serial: random)
        try form.set(validity: validity)
        // A random suffix: a client's trust store cannot tell apart two authorities with the same
        // name.
        let mark = Hex.encode(random.bytes(4))
        try form.set(subject: organization, "Latchkey local authority \(mark)")
        try form.set(publicKeyOf: key)
        try form.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
        try form.add(NID_key_usage, "critical,keyCertSign")
        try form.add(NID_name_constraints, "critical," + limits)
        try form.add(NID_subject_key_identifier, "hash")
        return try CertificateAuthority(certificate: form.signed(by: key), key: key)
    }

    /// Issues a server certificate for these hosts.
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

    static func limits(_ hosts: [CertificateHost]) -> String? {
        list(hosts.map { $0.constraint.map { "permitted;" + $0 } })
    }

    /// A comma-separated list in the syntax of x509v3_config(5); nil if it would be empty or an
    /// entry is nil.
    static func list(_ texts: [String?]) -> String? {
        let present = texts.compactMap(\.self)
        return present.count == texts.count && !present.isEmpty
            ? present.joined(separator: ",") : nil
    }
}

internal import Bytes
internal import COpenSSL
package import Time

/// An X.509 certificate with a P-256 key.
package struct Certificate: Sendable {
    package let pem: String
    /// The first and the last instant at which the certificate is valid.
    package let validity: ClosedRange<Instant>
    let handle: CertificateHandle

    package init(pem: String) throws(CryptoFailure) {
        OpenSSL.start()
        guard pem.utf8.count <= KeyImport.fileBytesMax else { throw .limitExceeded }
        let bytes = Array(pem.utf8)
        let certificate = bytes.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let file = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                return nil
            }
            defer { BIO_free_all(file) }
            return PEM_read_bio_X509(file, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let certificate else {
            ERR_clear_error()
            throw .malformed
        }
        try self.init(CertificateHandle(owning: certificate))
    }

    init(_ handle: CertificateHandle) throws(CryptoFailure) {
        self.handle = handle
        let first = try handle.instant(X509_get0_notBefore(handle.pointer))
        let last = try handle.instant(X509_get0_notAfter(handle.pointer))
        guard first <= last else { throw .malformed }
        validity = first...last
        pem = try handle.pem()
    }

    /// Whether the authority signed it. Dates and key usage are not checked here.
    package func isSigned(by authority: Certificate) -> Bool {
        OpenSSL.succeeded(
            X509_verify(handle.pointer, X509_get0_pubkey(authority.handle.pointer)))
    }

    package func belongs(to key: P256PrivateKey) -> Bool {
        let areEqual = try? key.withHandle { pointer throws(CryptoFailure) in
            OpenSSL.succeeded(EVP_PKEY_eq(X509_get0_pubkey(handle.pointer), pointer))
        }
        return areEqual ?? false
    }

    /// Whether the subject alternative names are exactly these, in this order.
    package func names(_ hosts: [CertificateHost]) -> Bool {
        has(NID_subject_alt_name, CertificateAuthority.list(hosts.map(\.configuration)))
    }

    /// Whether the name constraints of this authority are exactly these, in this order.
    package func isLimited(to hosts: [CertificateHost]) -> Bool {
        has(NID_name_constraints, CertificateAuthority.limits(hosts))
    }

    private func has(_ kind: Int32, _ text: String?) -> Bool {
        let at = X509_get_ext_by_NID(handle.pointer, kind, -1)
        guard at >= 0, let text, let wanted = try? CertificateExtension(kind, text) else {
            return false
        }
        let present = CertificateExtension.bytes(of: X509_get_ext(handle.pointer, at))
        return present == wanted.bytes
    }
}

/// The owner of one `X509`.
///
/// Unchecked Sendable: OpenSSL allows several threads to use an object at once as long as none
/// modifies it (openssl-threads(7)), and protects its internal caches with its own lock.
final class CertificateHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the caller's reference.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { X509_free(pointer) }

    func instant(_ time: UnsafePointer<ASN1_TIME>?) throws(CryptoFailure) -> Instant {
        let epoch = try OpenSSL.check(ASN1_TIME_set(nil, 0))
        defer { ASN1_STRING_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        try OpenSSL.check(ASN1_TIME_diff(&days, &seconds, epoch, time))
        return Instant(seconds: Int64(days) * 86400 + Int64(seconds))
    }

    func pem() throws(CryptoFailure) -> String {
        let file = try OpenSSL.check(BIO_new(BIO_s_mem()))
        defer { BIO_free_all(file) }
        try OpenSSL.check(PEM_write_bio_X509(file, pointer))
        var text = [UInt8](repeating: 0, count: BIO_ctrl_pending(file))
        guard BIO_read(file, &text, Int32(text.count)) == Int32(text.count) else {
            throw .libraryFailure
        }
        return String(decoding: text, as: UTF8.self)
    }
}

internal import COpenSSL

/// The parts of an X.509 certificate that an attestation statement is checked against. Chains,
/// dates and revocation are not checked: without a root that is trusted for another reason, a
/// certificate proves nothing about its holder.
package struct AttestationCertificate: Sendable {
    package static let derBytesMax = 8 << 10

    package enum SubjectAttribute: CaseIterable, Sendable {
        case country, organization, organizationalUnit, commonName

        fileprivate var identifier: Int32 {
            switch self {
            case .country: NID_countryName
            case .organization: NID_organizationName
            case .organizationalUnit: NID_organizationalUnitName
            case .commonName: NID_commonName
            }
        }
    }

    package struct Extension: Sendable, Equatable {
        package let isCritical: Bool
        /// The content of the outer OCTET STRING.
        package let value: [UInt8]
    }

    private let handle: CertificateHandle

    package init(der: [UInt8]) throws(CryptoFailure) {
        OpenSSL.start()
        guard der.count <= Self.derBytesMax else { throw .limitExceeded }
        let (certificate, consumed) = der.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            let certificate = d2i_X509(nil, &position, bytes.count)
            guard let start = bytes.baseAddress, let position else { return (certificate, 0) }
            return (certificate, position - start)
        }
        guard let certificate else {
            ERR_clear_error()
            throw .malformed
        }
        handle = CertificateHandle(owning: certificate)
        guard consumed == der.count else { throw .malformed }
    }

    /// 1, 2 or 3; the encoding counts from zero.
    package var version: Int { X509_get_version(handle.pointer) + 1 }

    /// Whether the basic constraints are present and state that this is not an authority.
    package var isEndEntity: Bool {
        guard X509_get_ext_by_NID(handle.pointer, NID_basic_constraints, -1) >= 0 else {
            return false
        }
        let flags = X509_get_extension_flags(handle.pointer)
        return flags & UInt32(EXFLAG_CA) == 0 && flags & UInt32(EXFLAG_INVALID) == 0
    }

    /// The value of the attribute, if the subject has exactly one that is text.
    package func subject(_ attribute: SubjectAttribute) -> String? {
        let name = X509_get_subject_name(handle.pointer)
        let at = X509_NAME_get_index_by_NID(name, attribute.identifier, -1)
        guard at >= 0, X509_NAME_get_index_by_NID(name, attribute.identifier, at) < 0,
            let data = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at))
        else { return nil }
        var text: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&text, data)
        guard count >= 0, let text else {
            ERR_clear_error()
            return nil
        }
        defer { CRYPTO_free(text, nil, 0) }
        return String(
            validating: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }

    /// The extension with this identifier in dotted form; nil if there is none. If a certificate
    /// has it twice, against RFC 5280 section 4.2, this is the first one.
    package func extensionValue(_ identifier: String) -> Extension? {
        guard let object = OBJ_txt2obj(identifier, 1) else {
            ERR_clear_error()
            return nil
        }
        defer { ASN1_OBJECT_free(object) }
        let at = X509_get_ext_by_OBJ(handle.pointer, object, -1)
        guard at >= 0, let found = X509_get_ext(handle.pointer, at) else { return nil }
        return Extension(
            isCritical: X509_EXTENSION_get_critical(found) == 1,
            value: CertificateExtension.bytes(of: found))
    }

    /// The public key as a DER SubjectPublicKeyInfo.
    package func publicKeyDER() throws(CryptoFailure) -> [UInt8] {
        let key = X509_get_X509_PUBKEY(handle.pointer)
        let count = i2d_X509_PUBKEY(key, nil)
        guard count > 0 else {
            ERR_clear_error()
            throw .malformed
        }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        let written = bytes.withUnsafeMutableBufferPointer { buffer in
            var position = buffer.baseAddress
            return i2d_X509_PUBKEY(key, &position)
        }
        guard written == count else { throw .malformed }
        return bytes
    }
}

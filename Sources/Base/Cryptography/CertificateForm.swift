internal import COpenSSL
internal import Time

/// Builds a certificate (RFC 5280).
struct CertificateForm: ~Copyable {
    private let pointer: OpaquePointer

    init() throws(CryptoFailure) {
        OpenSSL.start()
        // Everything that can throw comes before the only field is set, because the type has a
        // deinit.
        let empty = try OpenSSL.check(X509_new())
        // The value 2 is version 3, which allows extensions.
        guard OpenSSL.succeeded(X509_set_version(empty, 2)) else {
            X509_free(empty)
            throw .libraryFailure
        }
        pointer = empty
    }

    deinit { X509_free(pointer) }

    /// 127 random bits: serial numbers must not be sequential (CA/Browser Forum Baseline
    /// Requirements, section 7.1).
    func set(serial random: RandomSource) throws(CryptoFailure) {
        var bytes = random.bytes(16)
        bytes[0] = bytes[0] & 0x7F | 0x40
        try BigNumber.with(bytes) { number throws(CryptoFailure) in
            let serial = try OpenSSL.check(BN_to_ASN1_INTEGER(number, nil))
            defer { ASN1_INTEGER_free(serial) }
            try OpenSSL.check(X509_set_serialNumber(pointer, serial))
        }
    }

    func set(validity: Range<Instant>) throws(CryptoFailure) {
        let first = try OpenSSL.check(ASN1_TIME_set(nil, Int(validity.lowerBound.seconds)))
        defer { ASN1_STRING_free(first) }
        let last = try OpenSSL.check(ASN1_TIME_set(nil, Int(validity.upperBound.seconds)))
        defer { ASN1_STRING_free(last) }
        try OpenSSL.check(X509_set1_notBefore(pointer, first))
        try OpenSSL.check(X509_set1_notAfter(pointer, last))
    }

    func set(subject organization: String, _ name: String) throws(CryptoFailure) {
        let subject = try OpenSSL.check(X509_get_subject_name(pointer))
        for (field, text) in [("O", organization), ("CN", name)] {
            let code = X509_NAME_add_entry_by_txt(
                subject, field, 0x1000 /* MBSTRING_UTF8 */, text, -1, -1, 0)
            try OpenSSL.check(code)
        }
    }

    func set(publicKeyOf key: P256PrivateKey) throws(CryptoFailure) {
        try key.withHandle { handle throws(CryptoFailure) in
            try OpenSSL.check(X509_set_pubkey(pointer, handle))
        }
    }

    /// `value` is in the syntax of x509v3_config(5).
    func add(_ extensionNumber: Int32, _ value: String) throws(CryptoFailure) {
        try add(extensionNumber, value, issuedBy: pointer)
    }

    func add(
        _ extensionNumber: Int32, _ value: String, issuedBy authority: OpaquePointer
    ) throws(CryptoFailure) {
        let made = try CertificateExtension(
            extensionNumber, value, subject: pointer, issuer: authority)
        try OpenSSL.check(X509_add_ext(pointer, made.pointer, -1))
    }

    /// Signs the certificate; self-signed if there is no authority.
    func signed(
        by key: P256PrivateKey, of authority: OpaquePointer? = nil
    ) throws(CryptoFailure) -> Certificate {
        let issuer = X509_get_subject_name(authority ?? pointer)
        try OpenSSL.check(X509_set_issuer_name(pointer, issuer))
        // Returns the length of the signature, or 0 on failure.
        let length = try key.withHandle { handle throws(CryptoFailure) in
            X509_sign(pointer, handle, EVP_sha256())
        }
        guard length > 0 else {
            ERR_clear_error()
            throw .libraryFailure
        }
        X509_up_ref(pointer)
        return try Certificate(CertificateHandle(owning: pointer))
    }
}

/// One extension, parsed from its text.
struct CertificateExtension: ~Copyable {
    let pointer: OpaquePointer

    init(
        _ number: Int32, _ value: String, subject: OpaquePointer? = nil,
        issuer: OpaquePointer? = nil
    ) throws(CryptoFailure) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, subject, nil, nil, 0)
        pointer = try OpenSSL.check(X509V3_EXT_conf_nid(nil, &context, number, value))
    }

    deinit { X509_EXTENSION_free(pointer) }

    var bytes: [UInt8] { Self.bytes(of: pointer) }

    static func bytes(of pointer: OpaquePointer?) -> [UInt8] {
        guard let data = X509_EXTENSION_get_data(pointer), let start = ASN1_STRING_get0_data(data)
        else { return [] }
        return Array(UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(data))))
    }
}

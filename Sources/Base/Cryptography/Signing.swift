internal import COpenSSL

/// A signature scheme. The hash is SHA-256 unless the name says otherwise; Ed25519 has its own.
enum SignatureScheme {
    case rsaPKCS1
    case rsaPSS
    case ecdsa
    case ecdsaSHA384
    case ecdsaSHA512
    case ed25519

    fileprivate var digestName: String? {
        switch self {
        case .rsaPKCS1, .rsaPSS, .ecdsa: "SHA256"
        case .ecdsaSHA384: "SHA384"
        case .ecdsaSHA512: "SHA512"
        case .ed25519: nil
        }
    }

    fileprivate func configure(_ context: OpaquePointer?) throws(CryptoFailure) {
        switch self {
        case .rsaPKCS1:
            try OpenSSL.check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING))
        case .rsaPSS:
            try OpenSSL.check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING))
            // RFC 7518 section 3.5: the salt is as long as the hash, and MGF1 uses the same hash.
            try OpenSSL.check(
                EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(SHA256.byteCount)))
        case .ecdsa, .ecdsaSHA384, .ecdsaSHA512, .ed25519: break
        }
    }
}

extension KeyHandle {
    func sign(
        _ message: [UInt8], _ scheme: SignatureScheme
    ) throws(CryptoFailure) -> [UInt8] {
        let context = try OpenSSL.check(EVP_MD_CTX_new())
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        try OpenSSL.check(
            EVP_DigestSignInit_ex(
                context, &keyContext, scheme.digestName, nil, nil, pointer, nil))
        try scheme.configure(keyContext)
        var count = 0
        try OpenSSL.check(EVP_DigestSign(context, nil, &count, message, message.count))
        var signature = [UInt8](repeating: 0, count: count)
        try OpenSSL.check(EVP_DigestSign(context, &signature, &count, message, message.count))
        signature.removeLast(signature.count - count)
        return signature
    }

    /// False for an invalid signature, and for one that the library cannot parse: callers treat
    /// both in the same way.
    func verifies(
        _ signature: [UInt8], for message: [UInt8], _ scheme: SignatureScheme
    ) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        let started = OpenSSL.succeeded(
            EVP_DigestVerifyInit_ex(
                context, &keyContext, scheme.digestName, nil, nil, pointer, nil))
        guard started, (try? scheme.configure(keyContext)) != nil else { return false }
        return OpenSSL.succeeded(
            EVP_DigestVerify(context, signature, signature.count, message, message.count))
    }
}

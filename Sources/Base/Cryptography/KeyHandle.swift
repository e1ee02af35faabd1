internal import COpenSSL

/// The owner of one `EVP_PKEY`; freeing it also wipes the private numbers.
///
/// Unchecked Sendable: OpenSSL allows several threads to use an object at once as long as none
/// modifies it (openssl-threads(7)). A key is complete before `init` returns and is never changed
/// here; OpenSSL protects its internal caches with its own lock.
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the caller's reference.
    init(owning pointer: OpaquePointer?) throws(CryptoFailure) {
        guard let pointer else {
            ERR_clear_error()
            throw .invalidKey
        }
        self.pointer = pointer
    }

    deinit { EVP_PKEY_free(pointer) }

    /// Builds a key from its numbers.
    ///
    /// DER is not used: OpenSSL 3 sets up a chain of decoders for it, and a process that serves a
    /// single request would pay that cost each time.
    static func assemble(
        _ type: String, _ selection: Selection, _ parameters: [KeyParameter]
    ) throws(CryptoFailure) -> KeyHandle {
        OpenSSL.start()
        let context = try OpenSSL.check(EVP_PKEY_CTX_new_from_name(nil, type, nil))
        defer { EVP_PKEY_CTX_free(context) }
        try OpenSSL.check(EVP_PKEY_fromdata_init(context))
        var key: OpaquePointer?
        let code = KeyParameter.withList(parameters) { list in
            EVP_PKEY_fromdata(context, &key, selection.mask, list)
        }
        guard OpenSSL.succeeded(code) else { throw .invalidKey }
        return try KeyHandle(owning: key)
    }

    enum Selection {
        case publicKey, keyPair

        /// `EVP_PKEY_PUBLIC_KEY` and `EVP_PKEY_KEYPAIR`, macros that Swift cannot import.
        fileprivate var mask: Int32 {
            let parameters: Int32 = 0x04 | 0x80
            switch self {
            case .publicKey: return parameters | 0x02
            case .keyPair: return parameters | 0x02 | 0x01
            }
        }
    }

    func isType(_ name: String) -> Bool { EVP_PKEY_is_a(pointer, name) == 1 }
}

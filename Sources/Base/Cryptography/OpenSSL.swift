internal import COpenSSL

/// Initialises OpenSSL for a process that also uses it elsewhere, such as in a TLS library: the
/// first user in a process decides how it is initialised.
package enum CryptographyLibrary {
    /// Initialises OpenSSL without its configuration file, unless it is initialised already.
    package static func start() { OpenSSL.start() }
}

/// Initialisation, algorithms and error checks of the C library.
enum OpenSSL {
    /// Call this before any other OpenSSL function: otherwise the first call would read
    /// openssl.cnf.
    static func start() { _ = isStarted }

    // A function often runs in a separate process for each request, so every request pays for the
    // initialisation. Reading openssl.cnf is most of it (0.8 ms, measured), and a file on disk
    // should not change our cryptography. NO_ATEXIT: no clean-up is needed when the process ends.
    // NO_LOAD_CRYPTO_STRINGS: the error texts are not used (0.2 ms).
    //
    // NO_ADD_ALL_CIPHERS: the table of ciphers by name is for programs written for older releases
    // (2 of the 12 million instructions of a one-shot sign-in). TLS fetches its ciphers from the
    // provider.
    //
    // NO_ADD_ALL_DIGESTS would save another 0.1 ms, but permanently: a TLS library in the same
    // process could no longer verify certificates.
    private static let isStarted: Bool = {
        let options =
            UInt64(OPENSSL_INIT_NO_LOAD_CONFIG) | UInt64(OPENSSL_INIT_NO_ATEXIT)
            | UInt64(OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS)
            | UInt64(OPENSSL_INIT_NO_ADD_ALL_CIPHERS)
        require(OPENSSL_init_crypto(options, nil))
        return true
    }()

    // The algorithms are fetched once, and only when needed: the first fetch of each kind makes the
    // library enumerate all algorithms of that kind.
    static let sha256 = Algorithm(EVP_MD_fetch(startedContext(), "SHA256", nil))

    // This algorithm is not fetched: the library would first register the names of all ciphers and
    // digests, 60% of the instructions of a process that only opens its stored keys (measured). A
    // copy of the built-in method needs no registration, and computes with the same code (AES-NI if
    // the processor has it).
    static let aes256GCM: Algorithm = {
        start()
        return Algorithm(EVP_CIPHER_meth_dup(EVP_aes_256_gcm()))
    }()

    private static func startedContext() -> OpaquePointer? {
        start()
        return nil
    }

    /// The only place where a return code is checked: 1 is success, anything else a failure.
    ///
    /// The library's error queue is cleared, so that an old error is not reported for a later
    /// failure.
    static func check(_ code: Int32) throws(CryptoFailure) {
        guard succeeded(code) else { throw .libraryFailure }
    }

    /// Checks a pointer that the library returned: null is the failure.
    static func check<Handle>(_ handle: Handle?) throws(CryptoFailure) -> Handle {
        guard let handle else {
            ERR_clear_error()
            throw .libraryFailure
        }
        return handle
    }

    /// Whether the code means success, where a failure is an expected result and not an error.
    static func succeeded(_ code: Int32) -> Bool {
        guard code == 1 else {
            ERR_clear_error()
            return false
        }
        return true
    }

    /// Stops the process if the operation failed. Only operations that need nothing but memory and
    /// SHA-2 use this: without them there is no safe result.
    static func require(_ code: Int32) {
        precondition(code == 1, "libcrypto cannot compute a digest")
    }
}

/// An algorithm of the library.
///
/// Unchecked Sendable: a method is not changed after it was fetched or copied, so any number of
/// threads may use it (openssl-threads(7), crypto(7)).
struct Algorithm: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer?) {
        guard let pointer else { preconditionFailure("libcrypto lacks SHA-256 or AES-GCM") }
        self.pointer = pointer
    }
}

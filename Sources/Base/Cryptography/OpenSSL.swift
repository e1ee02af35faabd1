internal import COpenSSL

/// For whoever brings another user of OpenSSL into the process, such as a TLS library: the first
/// one decides how it starts.
package enum CryptographyLibrary {
    /// Starts OpenSSL our way, without its configuration file, unless it runs already.
    package static func start() { OpenSSL.start() }
}

/// The C library as a whole: its start, its algorithms, and the one door for its return codes.
enum OpenSSL {
    /// Must come before any other call: a first call of another kind would read openssl.cnf.
    static func start() { _ = isStarted }

    // A function is often a process of its own, so what the library does at start is paid each
    // time. Reading openssl.cnf is most of that (0.8 ms, measured), and a file on disk has no say
    // in what our cryptography does. NO_ATEXIT: nothing needs tidying in a process that ends.
    // NO_LOAD_CRYPTO_STRINGS: the texts of the errors are not used (0.2 ms).
    //
    // NO_ADD_ALL_DIGESTS and _CIPHERS would save 0.2 ms more, but for good: a TLS library in the
    // same process could no longer verify certificates.
    private static let isStarted: Bool = {
        let options =
            UInt64(OPENSSL_INIT_NO_LOAD_CONFIG) | UInt64(OPENSSL_INIT_NO_ATEXIT)
            | UInt64(OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS)
        require(OPENSSL_init_crypto(options, nil))
        return true
    }()

    // Fetched once, and only where needed: the first of each kind makes the library list all that
    // it has of that kind.
    static let sha256 = FetchedAlgorithm(EVP_MD_fetch(startedContext(), "SHA256", nil))
    static let aes256GCM = FetchedAlgorithm(
        EVP_CIPHER_fetch(startedContext(), "AES-256-GCM", nil))

    private static func startedContext() -> OpaquePointer? {
        start()
        return nil
    }

    /// The one place where a return code is read: 1 is success, anything else a failure.
    ///
    /// The library's error queue is emptied, because an old error must not explain a new failure.
    static func check(_ code: Int32) throws(CryptoFailure) {
        guard succeeded(code) else { throw .libraryFailure }
    }

    /// The same for a handle that the library may fail to make.
    static func check<Handle>(_ handle: Handle?) throws(CryptoFailure) -> Handle {
        guard let handle else {
            ERR_clear_error()
            throw .libraryFailure
        }
        return handle
    }

    /// Whether the code says success, where a failure is an answer and not an error.
    static func succeeded(_ code: Int32) -> Bool {
        guard code == 1 else {
            ERR_clear_error()
            return false
        }
        return true
    }

    /// For what cannot fail but for want of memory or of SHA-2: no digest is a safe answer then.
    static func require(_ code: Int32) {
        precondition(code == 1, "libcrypto cannot compute a digest")
    }
}

/// An algorithm of the library.
///
/// Unchecked, because OpenSSL guarantees it: a fetched method is an immutable, reference-counted
/// object that any number of threads may use (openssl-threads(7), crypto(7)).
struct FetchedAlgorithm: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer?) {
        guard let pointer else { preconditionFailure("libcrypto lacks SHA-256 or AES-GCM") }
        self.pointer = pointer
    }
}

internal import COpenSSL

/// The C library as a whole: its start, its algorithms, and the one door for its return codes.
enum OpenSSL {
    /// The algorithms, fetched once: looking one up by name for each use costs more than hashing
    /// a short message.
    static let algorithms = Algorithms()

    /// Must come before any other call: an unconfigured first call would read openssl.cnf.
    static func start() { _ = algorithms }

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

/// The fetched algorithms.
///
/// Unchecked, because OpenSSL guarantees it: fetched methods are immutable, reference-counted
/// objects that any number of threads may use (openssl-threads(7), crypto(7)).
struct Algorithms: @unchecked Sendable {
    let sha256: OpaquePointer
    let sha384: OpaquePointer
    let sha512: OpaquePointer
    let aes256GCM: OpaquePointer

    fileprivate init() {
        // A function is often a process of its own, so what the library does at start is paid
        // each time. Reading openssl.cnf is four fifths of that (0.8 of 1.0 ms, measured), and a
        // file on disk has no say in what our cryptography does. NO_ATEXIT: nothing needs tidying
        // in a process that ends. This runs before any other call, hence before any default start.
        let options =
            UInt64(OPENSSL_INIT_NO_LOAD_CONFIG) | UInt64(OPENSSL_INIT_NO_ATEXIT)
            | UInt64(OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS)
        OpenSSL.require(OPENSSL_init_crypto(options, nil))
        guard let sha256 = EVP_MD_fetch(nil, "SHA256", nil),
            let sha384 = EVP_MD_fetch(nil, "SHA384", nil),
            let sha512 = EVP_MD_fetch(nil, "SHA512", nil),
            let aes256GCM = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
        else { preconditionFailure("libcrypto lacks SHA-2 or AES-GCM") }
        self.sha256 = sha256
        self.sha384 = sha384
        self.sha512 = sha512
        self.aes256GCM = aes256GCM
    }
}

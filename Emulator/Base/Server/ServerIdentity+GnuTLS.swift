internal import Bytes
internal import Glibc

extension ServerIdentity {
    /// A GnuTLS priority string: TLS 1.2 and 1.3, with forward secrecy and authenticated encryption
    /// (RFC 9325).
    private static let priorities =
        "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-DHE-RSA"
        + ":-AES-128-CBC:-AES-256-CBC:-SHA1:%SERVER_PRECEDENCE"

    /// Calls the closure with chain, key and priorities as C strings.
    func withTexts<Result>(
        _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Result
    ) -> Result {
        let chain = chainPEM.map { CChar(truncatingIfNeeded: $0) } + [0]
        return keyPEM.withUnsafeBytes { bytes in
            let key = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
            key.initialize(repeating: 0, count: bytes.count + 1)
            memcpy(key, bytes.baseAddress ?? UnsafeRawPointer(key), bytes.count)
            defer {
                explicit_bzero(key, bytes.count)
                key.deallocate()
            }
            return chain.withUnsafeBufferPointer { chain in
                guard let start = chain.baseAddress else { preconditionFailure("it ends in NUL") }
                return body(start, key, Self.priorities)
            }
        }
    }
}

internal import CCurl
internal import Glibc
internal import HTTP

extension TransportProblem {
    /// The problem of an exchange that `curl` ended with `code`.
    init(_ code: CURLcode, _ curl: UnsafeMutableRawPointer) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .nameNotResolved
        case CURLE_COULDNT_CONNECT:
            switch Self.number(CURLINFO_OS_ERRNO, of: curl) {
            case Int(ECONNREFUSED): self = .connectionRefused
            case Int(ENETUNREACH), Int(EHOSTUNREACH): self = .hostUnreachable
            default: self = .connectFailed
            }
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_SSL_CACERT_BADFILE: self = .noAuthorities
        case CURLE_PEER_FAILED_VERIFICATION:
            self.init(verification: Self.number(CURLINFO_SSL_VERIFYRESULT, of: curl))
        case CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS: self = .certificateRefused
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM: self = .tlsFailed
        default: self = .connectFailed
        }
    }

    /// - Parameter result: the result of OpenSSL's verification, a value of
    ///   X509_STORE_CTX_get_error(3).
    private init(verification result: Int) {
        switch result {
        // If the chain is valid and only the name is wrong, libcurl leaves the result at its
        // initial value 1, because it compares the names itself.
        case 0, 1, 62: self = .wrongHost
        case 2, 18, 19, 20, 21: self = .unknownAuthority
        case 9: self = .certificateNotYetValid
        case 10: self = .certificateExpired
        default: self = .certificateRefused
        }
    }

    private static func number(_ info: CURLINFO, of curl: UnsafeMutableRawPointer) -> Int {
        var value = 0
        return latchkey_curl_get_long(curl, info, &value) == CURLE_OK ? value : -1
    }
}

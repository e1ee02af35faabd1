internal import CCurl
internal import HTTP

/// One libcurl easy handle, reused for one exchange after the other. Used only by its `CurlMulti`.
final class CurlHandle {
    let curl: UnsafeMutableRawPointer
    /// The data to which the handle holds pointers during an exchange.
    private var headers: HeaderLines?
    private var response: ResponseCollector?

    init() throws(HTTPFailure) {
        guard let curl = curl_easy_init() else {
            throw .connectFailed(detail: "libcurl did not start")
        }
        self.curl = curl
    }

    deinit { curl_easy_cleanup(curl) }

    /// Validates the request completely before anything is sent.
    func prepare(_ request: HTTPRequest, trust: CertificateTrust) throws(HTTPFailure) {
        let target = try RequestTarget(request.url)
        let headers = try HeaderLines(request)
        try set(CURLOPT_URL, text: request.url)
        try set(CURLOPT_PROTOCOLS_STR, text: target.isSecure ? "https" : "http")
        try setConduct(for: target)
        try setReach(request.reach)
        try setTimeLimits(request.limits)
        if target.isSecure { try setTrust(trust.certificates()) }
        try set(CURLOPT_HTTPHEADER, pointer: headers.list)
        self.headers = headers
        try setMethod(request)
        let response = ResponseCollector(bodyBytesMax: request.limits.responseBytesMax)
        self.response = response
        try collect(into: response)
    }

    /// The response of a finished exchange, for which libcurl reported `code`.
    func response(of code: CURLcode) throws(HTTPFailure) -> HTTPResponse {
        guard let response else { throw .interrupted(detail: "no exchange was begun") }
        return try response.result(of: code, TransportProblem(code, curl))
    }

    /// Ends the exchange and drops all pointers to its data.
    func reset() {
        curl_easy_reset(curl)
        headers = nil
        response = nil
    }

    // MARK: - Options

    private func setConduct(for target: RequestTarget) throws(HTTPFailure) {
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_TCP_NODELAY, 1)
        try set(CURLOPT_FOLLOWLOCATION, 0)
        // A signed path must be sent as it was signed, including dot segments.
        try set(CURLOPT_PATH_AS_IS, 1)
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Otherwise libcurl's rules for http_proxy, HTTPS_PROXY and NO_PROXY apply. It ignores an
        // upper-case HTTP_PROXY, which a `Proxy:` header could set under CGI (CVE-2016-5385).
        if target.isHostLocal { try set(CURLOPT_PROXY, text: "") }
    }

    private func setReach(_ reach: HTTPReach) throws(HTTPFailure) {
        guard reach != .anywhere else { return }
        try set(CURLOPT_PROXY, text: "")
        // An existing connection of another request may lead to any address, so it is not reused.
        try set(CURLOPT_FRESH_CONNECT, 1)
        try set(CURLOPT_FORBID_REUSE, 1)
        try check(
            latchkey_curl_set_open_socket(
                curl,
                reach == .internet
                    ? ConnectedAddress.openPublic : ConnectedAddress.openPublicOrLoopback, nil))
    }

    private func setTimeLimits(_ limits: HTTPLimits) throws(HTTPFailure) {
        // 0 would mean libcurl's default of five minutes, or no limit.
        try set(CURLOPT_CONNECTTIMEOUT_MS, max(1, limits.connectMillisecondsMax))
        if let total = limits.totalMillisecondsMax { try set(CURLOPT_TIMEOUT_MS, max(1, total)) }
    }

    private func setTrust(_ certificates: CertificateTrust.Location) throws(HTTPFailure) {
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        // Both are set, so that a path compiled into libcurl is not trusted in addition.
        try set(CURLOPT_CAINFO, text: certificates.file)
        try set(CURLOPT_CAPATH, text: certificates.directory)
    }

    private func setMethod(_ request: HTTPRequest) throws(HTTPFailure) {
        switch request.method {
        case .head:
            // There is no size limit for HEAD: a body of the announced length is not sent.
            try set(CURLOPT_NOBODY, 1)
            return
        case .get where request.body.isEmpty, .delete where request.body.isEmpty:
            try set(CURLOPT_HTTPGET, 1)
        case .post, .put, .patch, .get, .delete:
            try set(CURLOPT_POST, 1)
            // The size is set before the body, because libcurl copies that many bytes.
            try set(CURLOPT_POSTFIELDSIZE_LARGE, size: request.body.count)
            let code = request.body.withUnsafeBytes { body in
                // A null pointer would make libcurl use a read callback.
                body.isEmpty
                    ? latchkey_curl_set_text(curl, CURLOPT_COPYPOSTFIELDS, "")
                    : latchkey_curl_set_pointer(curl, CURLOPT_COPYPOSTFIELDS, body.baseAddress)
            }
            try check(code)
        }
        try set(CURLOPT_CUSTOMREQUEST, text: request.method.rawValue)
        try set(CURLOPT_MAXFILESIZE_LARGE, size: request.limits.responseBytesMax)
    }

    private func collect(into response: ResponseCollector) throws(HTTPFailure) {
        let context = Unmanaged.passUnretained(response).toOpaque()
        try set(CURLOPT_HEADERDATA, pointer: context)
        try set(CURLOPT_WRITEDATA, pointer: context)
        try check(
            latchkey_curl_set_callback(curl, CURLOPT_HEADERFUNCTION) {
                ResponseCollector.receive($0, $1, $2, $3) { $0.takeHeaderLine($1) }
            })
        try check(
            latchkey_curl_set_callback(curl, CURLOPT_WRITEFUNCTION) {
                ResponseCollector.receive($0, $1, $2, $3) { $0.takeBody($1) }
            })
    }

    private func set(_ option: CURLoption, _ value: Int) throws(HTTPFailure) {
        try check(latchkey_curl_set_long(curl, option, value))
    }

    private func set(_ option: CURLoption, size: Int) throws(HTTPFailure) {
        try check(latchkey_curl_set_size(curl, option, curl_off_t(size)))
    }

    private func set(_ option: CURLoption, text: String?) throws(HTTPFailure) {
        try check(latchkey_curl_set_text(curl, option, text))
    }

    private func set(_ option: CURLoption, pointer: UnsafeRawPointer?) throws(HTTPFailure) {
        try check(latchkey_curl_set_pointer(curl, option, pointer))
    }

    private func check(_ code: CURLcode) throws(HTTPFailure) {
        guard code == CURLE_OK else { throw .connectFailed(detail: code.explanation) }
    }
}

extension CURLcode {
    /// libcurl's fixed text for a code. Its error buffer is not used, because it can quote the
    /// peer.
    var explanation: String {
        curl_easy_strerror(self).map { String(cString: $0) } ?? "curl error \(rawValue)"
    }
}

package import Bytes
internal import CCurl
internal import Glibc
package import HTTP
internal import Threads

/// An SMTP server and how to connect to it.
package struct SMTPEndpoint: Sendable {
    package enum Security: Sendable {
        /// TLS from the first byte (RFC 8314 section 3.3).
        case implicitTLS
        /// TLS after STARTTLS. Nothing is sent without it, because an attacker can suppress the
        /// server's offer (RFC 3207 section 6).
        case startTLS
        /// The connection is not encrypted. This is for a server on this machine.
        case none
    }

    package let host: String
    package let port: UInt16
    package let security: Security
    package let login: Login?

    package struct Login: Sendable {
        package let user: String
        package let password: SecretBytes

        package init(user: String, password: SecretBytes) {
            self.user = user
            self.password = password
        }
    }

    package init(host: String, port: UInt16, security: Security, login: Login? = nil) {
        self.host = host
        self.port = port
        self.security = security
        self.login = login
    }
}

/// One message to one recipient.
package struct SMTPMessage: Sendable {
    package let from: String
    package let to: String
    /// Lines end with CR LF. libcurl doubles the dots at their start.
    package let bytes: [UInt8]

    package init(from: String, to: String, bytes: [UInt8]) {
        self.from = from
        self.to = to
        self.bytes = bytes
    }
}

/// Why a message was not delivered. `detail` is libcurl's fixed sentence: it never quotes the
/// server.
package enum SMTPFailure: Error, Equatable, Sendable {
    case invalid(detail: String)
    case connectFailed(TransportProblem = .connectFailed, detail: String)
    /// The server does not offer the required TLS, or its certificate is not trusted.
    case insecure(TransportProblem = .tlsFailed, detail: String)
    case timedOut
    /// The server does not accept the user and the password.
    case loginRefused
    /// The server refused the recipient, with this status.
    case recipientRefused(status: Int)
    /// The server refused something else: the sender, the message, or the client.
    case refused(status: Int)
    /// The connection was lost. The message may have been delivered.
    case interrupted(detail: String)
}

/// Delivers messages by SMTP (RFC 5321) with libcurl.
package struct SMTPClient: Sendable {
    private let endpoint: SMTPEndpoint
    private let trust: CertificateTrust

    /// `trust` is called when a message is sent, not before.
    package init(_ endpoint: SMTPEndpoint, trust: CertificateTrust) {
        self.endpoint = endpoint
        self.trust = trust
    }

    package func send(_ message: SMTPMessage, millisecondsMax: Int) throws(SMTPFailure) {
        var reply: String?
        try send(message, millisecondsMax: millisecondsMax, hearing: &reply)
    }

    /// - Parameter reply: gets the server's last reply, except the one to QUIT. The reply may quote
    ///   the message, so it is only for an administrator's test, and not for the log.
    package func send(
        _ message: SMTPMessage, millisecondsMax: Int, hearing reply: inout String?
    ) throws(SMTPFailure) {
        guard Self.isAddress(message.from), Self.isAddress(message.to) else {
            throw .invalid(detail: "an address is malformed")
        }
        guard CurlMulti.isStarted, let curl = curl_easy_init() else {
            throw .connectFailed(detail: "libcurl did not start")
        }
        defer { curl_easy_cleanup(curl) }
        guard let recipients = curl_slist_append(nil, "<\(message.to)>") else {
            throw .invalid(detail: "out of memory")
        }
        defer { curl_slist_free_all(recipients) }
        let options = SMTPOptions(curl)
        try options.setConnection(endpoint, trust, millisecondsMax: millisecondsMax)
        try options.set(CURLOPT_URL, text: url(from: message.from))
        try options.set(CURLOPT_MAIL_FROM, text: "<\(message.from)>")
        try options.check(
            latchkey_curl_set_pointer(curl, CURLOPT_MAIL_RCPT, UnsafeRawPointer(recipients)))
        let transfer = Transfer(message.bytes)
        try options.setTransfer(transfer)
        let code = withExtendedLifetime(transfer) {
            Waiting.during { curl_easy_perform(curl) }
        }
        reply = transfer.reply
        guard code != CURLE_OK else { return }
        throw Self.failure(
            code, TransportProblem(code, curl), status: options.status,
            isAboutRecipient: transfer.isAtRecipient)
    }

    /// libcurl sends the path of the URL as the name in EHLO. A server may require a domain there.
    private func url(from sender: String) -> String {
        let scheme = endpoint.security == .implicitTLS ? "smtps" : "smtp"
        let domain = sender.split(separator: "@").last ?? "localhost"
        return "\(scheme)://\(endpoint.host):\(endpoint.port)/\(domain)"
    }

    /// Only these characters may be sent in a command.
    private static func isAddress(_ text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "@"))
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3C && $0 != 0x3E }
    }

    private static func failure(
        _ code: CURLcode, _ problem: TransportProblem, status: Int, isAboutRecipient: Bool
    ) -> SMTPFailure {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_LOGIN_DENIED: .loginRefused
        case CURLE_USE_SSL_FAILED: .insecure(.tlsFailed, detail: code.explanation)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM:
            .insecure(problem, detail: code.explanation)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT:
            .connectFailed(problem, detail: code.explanation)
        default:
            // libcurl has several codes for a refusal; the status of the last reply distinguishes
            // it.
            if status < 400 {
                .interrupted(detail: code.explanation)
            } else if isAboutRecipient {
                .recipientRefused(status: status)
            } else {
                .refused(status: status)
            }
        }
    }
}

/// The message for libcurl to read, and the last command that libcurl sent.
private final class Transfer {
    private let bytes: [UInt8]
    private var position = 0
    /// Whether the last command other than QUIT was RCPT: libcurl reports the same code for each
    /// refusal.
    private(set) var isAtRecipient = false
    fileprivate var reply: String?
    fileprivate var isAtQuit = false

    fileprivate static let replyBytesMax = 500

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    func read(into buffer: UnsafeMutableRawPointer, countMax: Int) -> Int {
        let count = min(countMax, bytes.count - position)
        bytes.withUnsafeBytes { source in
            guard count > 0, let start = source.baseAddress else { return }
            memcpy(buffer, start + position, count)
        }
        position += count
        return count
    }

    /// Reads only the first word: the rest may be a password.
    func note(command: UnsafeMutablePointer<CChar>, count: Int) {
        isAtQuit = count >= 4 && strncasecmp(command, "QUIT", 4) == 0
        guard count >= 4, !isAtQuit else { return }
        isAtRecipient = strncasecmp(command, "RCPT", 4) == 0
    }
}

extension Transfer {
    /// Keeps the last reply of the server.
    func note(reply line: UnsafeMutablePointer<CChar>, count: Int) {
        guard !isAtQuit else { return }
        let text = UnsafeBufferPointer(start: line, count: min(count, Self.replyBytesMax))
        let bytes = text.map { UInt8(bitPattern: $0) }.filter { (0x20..<0x7F).contains($0) }
        if !bytes.isEmpty { reply = String(decoding: bytes, as: UTF8.self) }
    }
}

private struct SMTPOptions {
    private let curl: UnsafeMutableRawPointer

    init(_ curl: UnsafeMutableRawPointer) { self.curl = curl }

    /// The code of the server's last reply.
    var status: Int {
        var status = 0
        let code = latchkey_curl_get_long(curl, CURLINFO_RESPONSE_CODE, &status)
        return code == CURLE_OK ? status : 0
    }

    func setConnection(
        _ endpoint: SMTPEndpoint, _ trust: CertificateTrust, millisecondsMax: Int
    ) throws(SMTPFailure) {
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_PROTOCOLS_STR, text: "smtp,smtps")
        // ALL_PROXY is meant for HTTP.
        try set(CURLOPT_PROXY, text: "")
        // 0 would mean no limit.
        try set(CURLOPT_TIMEOUT_MS, max(1, millisecondsMax))
        try set(CURLOPT_CONNECTTIMEOUT_MS, max(1, min(millisecondsMax, 5000)))
        if endpoint.security != .none {
            try set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
            try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
            try set(CURLOPT_SSL_VERIFYPEER, 1)
            try set(CURLOPT_SSL_VERIFYHOST, 2)
            let certificates: CertificateTrust.Location
            do {
                certificates = try trust.certificates()
            } catch {
                throw .insecure(error.problem, detail: error.detail)
            }
            try set(CURLOPT_CAINFO, text: certificates.file)
            try set(CURLOPT_CAPATH, text: certificates.directory)
        }
        if let login = endpoint.login {
            try set(CURLOPT_USERNAME, text: login.user)
            try set(
                CURLOPT_PASSWORD,
                text: String(decoding: login.password.reveal(), as: UTF8.self))
        }
    }

    /// - Parameter transfer: must live until the transfer has ended.
    func setTransfer(_ transfer: Transfer) throws(SMTPFailure) {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        try set(CURLOPT_UPLOAD, 1)
        try check(latchkey_curl_set_pointer(curl, CURLOPT_READDATA, context))
        try check(
            latchkey_curl_set_callback(curl, CURLOPT_READFUNCTION) { buffer, size, count, context in
                guard let buffer, let context else { return 0 }
                return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                    .read(into: buffer, countMax: size * count)
            })
        try check(
            latchkey_curl_set_size(curl, CURLOPT_INFILESIZE_LARGE, curl_off_t(transfer.count)))
        let code = latchkey_curl_set_trace(
            curl,
            { _, kind, text, count, context in
                guard let text, let context else { return 0 }
                let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                if kind == CURLINFO_HEADER_OUT { transfer.note(command: text, count: count) }
                if kind == CURLINFO_HEADER_IN { transfer.note(reply: text, count: count) }
                return 0
            }, context)
        try check(code)
    }

    func set(_ option: CURLoption, _ value: Int) throws(SMTPFailure) {
        try check(latchkey_curl_set_long(curl, option, value))
    }

    func set(_ option: CURLoption, text: String?) throws(SMTPFailure) {
        try check(latchkey_curl_set_text(curl, option, text))
    }

    func check(_ code: CURLcode) throws(SMTPFailure) {
        guard code == CURLE_OK else { throw .invalid(detail: code.explanation) }
    }
}

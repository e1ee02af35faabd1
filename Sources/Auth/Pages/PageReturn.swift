internal import Bytes
internal import Contracts
internal import Time

/// Where a page sends the browser after the sign-in, as an app has requested with the parameters of
/// OAuth (RFC 6749 section 4.1.1, RFC 7636 section 4.3): back to the app, with a code for the
/// session.
struct PageReturn: Sendable {
    /// The address, which is equal to one in the setting, byte for byte.
    let address: String
    /// The hash of the app's verifier.
    let challenge: [UInt8]
    let state: String

    /// Lifetime of the cookie. It is long, because a registration includes waiting for a mail.
    static let lifetime = Span.minutes(30)
    static let parameters = [
        "redirect_uri", "code_challenge", "code_challenge_method", "response_type", "state",
    ]

    private static let challengeBytes = 32
    private static let stateBytesMax = 512
    private static let cookieBytesMax = 2000

    /// Throws if the parameters are not exactly as they must be. Nothing is ever sent to an address
    /// that is not in the list, not even the error (RFC 9700 section 4.11.2).
    ///
    /// - Parameter query: a parameter's values, of which there must be at most one.
    init?(
        _ query: (String) -> [String], allowed: [String]
    ) throws(RequestError) {
        let addresses = query("redirect_uri")
        guard !addresses.isEmpty else { return nil }
        func single(_ name: String) throws(RequestError) -> String? {
            let values = query(name)
            guard values.count <= 1 else { throw .invalidField(name, .notText) }
            return values.first
        }
        guard let address = try single("redirect_uri"),
            let known = allowed.first(where: { $0.isSame(as: address) })
        else { throw .invalidField("redirect_uri", .notOneOf([])) }
        guard try single("code_challenge_method") == "S256" else {
            throw .invalidField("code_challenge_method", .notOneOf(["S256"]))
        }
        guard let text = try single("code_challenge"), let challenge = Base64URL.decode(text),
            challenge.count == Self.challengeBytes
        else { throw .invalidField("code_challenge", .notText) }
        if let type = try single("response_type"), type != "code" {
            throw .invalidField("response_type", .notOneOf(["code"]))
        }
        let state = try single("state") ?? ""
        guard Self.isState(state) else {
            throw .invalidField("state", .tooLong(bytesMax: Self.stateBytesMax))
        }
        self.init(address: known, challenge: challenge, state: state)
    }

    private init(address: String, challenge: [UInt8], state: String) {
        self.address = address
        self.challenge = challenge
        self.state = state
    }

    private static func isState(_ state: String) -> Bool {
        state.utf8.count <= stateBytesMax && state.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    // MARK: The cookie that keeps it until the sign-in

    /// The address is compared with the list again.
    init?(cookie: String?, allowed: [String]) {
        guard let cookie, cookie.utf8.count <= Self.cookieBytesMax else { return nil }
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false)
            .map { Base64URL.decode($0) }
        guard parts.count == 3, let address = parts[0], let challenge = parts[1],
            let state = parts[2], challenge.count == Self.challengeBytes,
            let known = allowed.first(where: { $0.utf8.elementsEqual(address) })
        else { return nil }
        let text = String(decoding: state, as: UTF8.self)
        guard Self.isState(text) else { return nil }
        self.init(address: known, challenge: challenge, state: text)
    }

    var cookie: String {
        [Array(address.utf8), challenge, Array(state.utf8)].map(Base64URL.encode)
            .joined(separator: ".")
    }

    // MARK: Return to the app

    /// - Parameter issuer: the issuer is added so that an app with several servers can tell them
    ///   apart (RFC 9207).
    func location(code: String, issuer: String) -> String {
        var query = "code=\(code)&iss=\(PercentEncoding.encode(issuer))"
        if !state.isEmpty { query += "&state=\(PercentEncoding.encode(state))" }
        return address + (address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }

    /// The description of the app for a person: the host of its address, or its own scheme.
    var appName: String {
        let target = formTarget
        guard let slashes = target.utf8.firstOccurrence(of: "://") else {
            return String(target.dropLast())
        }
        return String(target[slashes.upperBound...])
    }

    /// The source for the pages' security policy: browsers also apply `form-action` to redirects
    /// after a form.
    var formTarget: String {
        guard address.hasPrefix("https://") || address.hasPrefix("http://") else {
            return "\(address.prefix { $0 != ":" }):"
        }
        let scheme = address.hasPrefix("https://") ? "https://" : "http://"
        let authority = address.dropFirst(scheme.utf8.count).prefix { $0 != "/" && $0 != "?" }
        return scheme + authority
    }
}

internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import Cryptography
internal import Time

/// The cookies of the pages. They are only for this host, invisible for scripts, and only sent over
/// HTTPS (RFC 6265bis section 4.1.3). If the issuer is this machine over HTTP, browsers also keep
/// them over HTTP, and `PageRequest.plainNote` warns about that.
struct PageCookies: Sendable {
    enum Kind: String {
        /// The tokens of the session.
        case session = ""
        /// The secret of the form tokens.
        case form = "-form"
        /// The secret that is needed together with the code or link of a mail.
        case mail = "-mail"
        /// The ticket of a sign-in that waits for its second factor.
        case ticket = "-ticket"
        /// The browser's state while it is at a provider.
        case provider = "-provider"
        /// The name that a provider has sent.
        case providerName = "-name"
        /// The address of the app to which the browser returns.
        case appReturn = "-return"
        /// The page for which the user signs in or proves the identity again.
        case next = "-next"
        /// The app from which the account's page was opened.
        case app = "-app"
        /// The secret that binds the requests of clients to this browser.
        case oauth = "-oauth"
        /// Other accounts that are signed in.
        case accounts = "-accounts"
        /// The token of a trusted browser.
        case device = "-device"
    }

    private let isSecure: Bool

    init(issuer: String) { isSecure = issuer.hasPrefix("https://") }

    func name(_ kind: Kind) -> String {
        (isSecure ? "__Host-latchkey" : "latchkey") + kind.rawValue
    }

    /// - Parameter lifetime: nil for a cookie that ends when the browser is closed.
    func holding(_ value: String, _ kind: Kind, for lifetime: Span? = nil) -> Cookie {
        Cookie(
            name(kind), value, maxAgeSeconds: lifetime.map(\.seconds), isSecure: isSecure,
            sameSite: .lax)
    }

    func removing(_ kind: Kind) -> Cookie { holding("", kind, for: .zero) }
}

/// A session of a browser: both tokens in one cookie, which scripts cannot read.
///
/// Each request is authorised by the access token, which reads session and user and changes
/// nothing, so any number of tabs can load at once. When the token has expired, the session is
/// refreshed as in any client. If several tabs do that at the same time, all get the same
/// successor.
struct BrowserSession: Sendable {
    let refresh: String
    let access: String

    private static let bytesMax = 4000
    private static let separator = "~"

    init(_ tokens: SessionTokens) {
        refresh = tokens.refresh.reveal()
        access = tokens.access.reveal()
    }

    init(refresh: String, access: String) {
        self.refresh = refresh
        self.access = access
    }

    init?(cookie: String?) {
        guard let cookie, cookie.utf8.count <= Self.bytesMax,
            let mark = cookie.utf8.firstOccurrence(of: Self.separator)
        else { return nil }
        refresh = String(cookie[..<mark.lowerBound])
        access = String(cookie[mark.upperBound...])
    }

    /// The access token is left out if it is too long because of claims from hooks: browsers drop
    /// too long cookies (RFC 6265bis section 5.6). Then each request refreshes the session.
    var cookie: String {
        let whole = refresh + Self.separator + access
        return whole.utf8.count <= Self.bytesMax ? whole : refresh + Self.separator
    }
}

/// The token that each form carries, derived from a cookie of the same browser: another site can
/// send neither the token nor the cookie, so login CSRF is prevented too. The cookie is replaced at
/// each sign-in and sign-out.
struct FormToken: Sendable {
    private static let secretBytes = 32

    let secret: [UInt8]

    init(random: RandomSource) { secret = random.bytes(Self.secretBytes) }

    init?(cookie: String?) {
        guard let secret = cookie.flatMap(Base64URL.decode), secret.count == Self.secretBytes
        else { return nil }
        self.secret = secret
    }

    var cookie: String { Base64URL.encode(secret) }

    var text: String { Base64URL.encode(mac) }

    func isRight(_ text: String?) -> Bool {
        guard let given = text.flatMap(Base64URL.decode) else { return false }
        return constantTimeEquals(given, mac)
    }

    private var mac: [UInt8] {
        HMAC.sha256(Array("latchkey form".utf8), key: SecretBytes(secret))
    }
}

/// The mail that a browser has requested: the secret of the request, and the address, which the
/// page shows.
struct RequestedMail: Sendable {
    let secret: String
    let address: String
    /// Whether this browser chose the password of the registration. This decides only what the page
    /// asks for. The proof is in the row of the mail.
    let isOfRegistrant: Bool

    private static let bytesMax = 1000
    private static let registrant = "registrant"

    init(secret: String?, address: String, isOfRegistrant: Bool = false) {
        self.secret = secret ?? ""
        self.address = address
        self.isOfRegistrant = isOfRegistrant && secret != nil
    }

    init?(cookie: String?) {
        guard let cookie, cookie.utf8.count <= Self.bytesMax else { return nil }
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, let address = Base64URL.decode(parts[1]) else { return nil }
        secret = String(parts[0])
        self.address = String(decoding: address, as: UTF8.self)
        isOfRegistrant = parts.count == 3 && parts[2].utf8.elementsEqual(Self.registrant.utf8)
    }

    var cookie: String {
        let mail = "\(secret).\(Base64URL.encode(Array(address.utf8)))"
        return isOfRegistrant ? "\(mail).\(Self.registrant)" : mail
    }
}

internal import AuthDomain
internal import Bytes
internal import Contracts
internal import Time

/// Where a browser is redirected after a sign-in or a step-up that a page has required: a page of
/// the account, one of the administrator's, a client's request, or the page for a device's code.
struct PageDestination {
    /// The value of the cookie: the name of a page, a path, or a request and its target.
    let text: String
    /// nil for a page of the administrator.
    let page: PageName?
    /// The client's request that waits.
    private(set) var request: String?
    /// The origin to which the browser goes after the client's request.
    private(set) var formTarget: String?
    /// The code that a device shows, if it was in the address.
    private(set) var userCode: UserCode?

    /// Lifetime of the cookie.
    static let lifetime = Span.minutes(10)
    /// The time is longer for a request, because a registration includes waiting for a mail.
    private static let requestLifetime = Span.minutes(30)
    private static let requestMark = "consent~"
    private static let deviceMark = "device~"

    var lifetime: Span { request == nil ? Self.lifetime : Self.requestLifetime }

    init(_ page: PageName) {
        text = page.rawValue
        self.page = page
    }

    /// - Parameters:
    ///   - request: the name of the request.
    ///   - formTarget: scheme, host and port of the client.
    init(request: String, formTarget: String = "") {
        text = "\(Self.requestMark)\(request)~\(formTarget)"
        page = .consent
        self.request = request
        self.formTarget = formTarget
    }

    init(userCode: UserCode?) {
        text = userCode.map { Self.deviceMark + $0.letters } ?? PageName.device.rawValue
        page = .device
        self.userCode = userCode
    }

    /// The target becomes part of a security policy, so its characters are checked.
    private init?(request text: String) {
        let parts = text.split(separator: "~", omittingEmptySubsequences: false)
        guard parts.count == 3, Base64URL.decode(parts[1]) != nil,
            parts[2].utf8.allSatisfy({ $0.isLetterOrDigit || "+-.:/".utf8.contains($0) })
        else { return nil }
        self.init(request: String(parts[1]), formTarget: String(parts[2]))
    }

    /// - Parameter path: a path on this origin, below `/admin/ui`. The result is nil for any other
    ///   path, so that a link cannot lead elsewhere (CWE-601).
    init?(administration path: String?) {
        let path = LocalPath(path).text
        let home = ContractPages.administration
        let isOwn = [home + "/", home + "?"].contains { path.hasPrefix($0) }
        guard path.isSame(as: home) || isOwn else { return nil }
        text = path
        page = nil
    }

    init?(cookie: String) {
        if cookie.hasPrefix(Self.requestMark) {
            self.init(request: cookie)
        } else if cookie.hasPrefix(Self.deviceMark) {
            self.init(
                userCode: UserCode(parsing: String(cookie.dropFirst(Self.deviceMark.utf8.count))))
        } else if let page = PageName(rawValue: cookie)?.continuation {
            self.init(page)
        } else {
            self.init(administration: cookie)
        }
    }
}

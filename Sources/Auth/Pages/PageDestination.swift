internal import Bytes
internal import Contracts
internal import Time

/// Where a browser is redirected after a sign-in, or a new proof of who the user is, that a page
/// has asked for: a page of the account, or one of the administrator's.
struct PageDestination {
    /// The value of the cookie: the name of a page, or a path.
    let text: String
    /// nil for a page of the administrator.
    let page: PageName?

    /// Lifetime of the cookie.
    static let lifetime = Span.minutes(10)

    init(_ page: PageName) {
        text = page.rawValue
        self.page = page
    }

    /// - Parameter path: on this origin, below `/admin/ui`. nil for any other, so that a link
    ///   cannot lead elsewhere (CWE-601).
    init?(administration path: String?) {
        let path = LocalPath(path).text
        let home = ContractPages.administration
        let isOwn = [home + "/", home + "?"].contains { path.hasPrefix($0) }
        guard path.isSame(as: home) || isOwn else { return nil }
        text = path
        page = nil
    }

    init?(cookie: String) {
        if let page = PageName(rawValue: cookie)?.continuation {
            self.init(page)
        } else {
            self.init(administration: cookie)
        }
    }
}

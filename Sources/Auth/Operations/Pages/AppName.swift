internal import AuthDomain
internal import Bytes

extension AuthServices {
    /// The name of the app for people: the name on the pages, or else the host of the issuer.
    package var appName: String {
        policy.pages?.appName
            ?? issuer.split(separator: "/").dropFirst().first.map(String.init) ?? issuer
    }

    /// The address of the page on which people manage their account; nil without pages.
    var accountPage: String? { page(PagesPolicy.accountPath) }

    /// The address to which a notice's link leads; nil for a notice without such a link.
    func pageOfNotice(_ kind: Mail.Kind) -> String? {
        guard kind.leadsToAccount else { return nil }
        return kind == .newApplication ? page(PagesPolicy.applicationsPath) : accountPage
    }

    private func page(_ path: String) -> String? {
        guard policy.pages != nil else { return nil }
        return (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + path
    }
}

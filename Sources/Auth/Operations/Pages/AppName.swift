internal import AuthDomain
internal import Bytes

extension AuthServices {
    /// The name of the app for people: the name on the pages, or else the host of the issuer.
    package var appName: String {
        policy.pages?.appName
            ?? issuer.split(separator: "/").dropFirst().first.map(String.init) ?? issuer
    }

    /// The address of the page on which people manage their account; nil without pages.
    var accountPage: String? {
        guard policy.pages != nil else { return nil }
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        return base + PagesPolicy.accountPath
    }
}

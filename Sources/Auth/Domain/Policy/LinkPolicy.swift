/// Where the links in mails lead: to the app, which sends their token back in a request. A GET of
/// ours behind a link would be used up by mail scanners that open every link.
package struct LinkPolicy: Equatable, Sendable {
    package enum Purpose: String, CaseIterable, Sendable {
        case verifyEmail = "verify-email"
        case resetPassword = "reset-password"
        case magicLink = "magic-link"
        case addPassword = "add-password"
        case confirmEmail = "confirm-email"
    }

    /// An https URL of the app, or a scheme of its own; the purpose and the token follow.
    package var base: String
    /// What a contract calls a purpose in its links, where that is not its name.
    package var paths: [Purpose: String]

    package init(base: String, paths: [Purpose: String] = [:]) {
        self.base = base
        self.paths = paths
    }

    /// - Parameter token: base64url, so nothing of it needs to be escaped.
    package func link(_ purpose: Purpose, token: String) -> String {
        "\(base)/\(paths[purpose] ?? purpose.rawValue)?token=\(token)"
    }
}

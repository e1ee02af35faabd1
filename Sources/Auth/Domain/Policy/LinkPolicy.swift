/// The links in mails. They open the app, which sends their token back in a request. They are not
/// endpoints of this server, because mail scanners that open every link would consume the token.
package struct LinkPolicy: Equatable, Sendable {
    package enum Purpose: String, CaseIterable, Sendable {
        case verifyEmail = "verify-email"
        case resetPassword = "reset-password"
        case magicLink = "magic-link"
        case addPassword = "add-password"
        case confirmEmail = "confirm-email"
        case undoEmail = "undo-email"
        case undoChange = "undo-change"
    }

    /// An https URL of the app, or a scheme of its own. The purpose and the token are appended.
    package var base: String
    /// A contract's own path for a purpose, if it differs from the purpose's name.
    package var paths: [Purpose: String]

    package init(base: String, paths: [Purpose: String] = [:]) {
        self.base = base
        self.paths = paths
    }

    /// - Parameter token: base64url, so it needs no escaping.
    package func link(_ purpose: Purpose, token: String) -> String {
        "\(base)/\(paths[purpose] ?? purpose.rawValue)?token=\(token)"
    }
}

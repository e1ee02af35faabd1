internal import AuthOperations

/// The texts of the administrators' sign-in. Executables without the other pages show them too. The
/// order is the order of the lines in the file of each language (`Files`).
package enum AdminSignInText: Int, TextKey {
    case windowTitle
    case signInTitle, signInHeading, signInPassword, signInOr, signInAccount
    case signedInTitle, signedInAbout, signedInGo, signedInSignOut
    case plainAbout, plainTunnel, plainProxy
    case problemPassword, problemRequired, problemLimit, problemUnavailable, problemSetUp
    case problemFault
    case fieldPassword, fieldReason, fieldEmail, fieldName

    private static let english = Texts<Self>(.english, PackageResources.en_txt)
    private static let german = Texts<Self>(.german, PackageResources.de_txt)

    package static func texts(in language: PageLanguage) -> Texts<Self> {
        language == .german ? german : english
    }
}

extension Texts<AdminSignInText> {
    /// The message for a refused request; nil for errors that cannot occur in the sign-in.
    package func problem(_ error: APIError) -> String? {
        switch error {
        case .auth(.administration(.wrongPassword)): self(.problemPassword)
        case .auth(.rateLimited(let seconds)):
            // Rounded up, and never one: no language needs a singular.
            self(.problemLimit, [("count", "\(max(2, (seconds + 59) / 60))")])
        case .auth(.unavailable), .auth(.hook(.unavailable)): self(.problemUnavailable)
        case .auth(.notConfigured): self(.problemSetUp)
        case .auth(.fault): self(.problemFault)
        case .request(.missingField(let name)):
            self(.problemRequired, [("field", field(name))])
        case .auth, .request: nil
        }
    }

    /// The name of a form field on the page.
    package func field(_ name: String) -> String {
        switch name {
        case "password": self(.fieldPassword)
        case "reason": self(.fieldReason)
        case "email": self(.fieldEmail)
        case "name": self(.fieldName)
        default: name
        }
    }
}

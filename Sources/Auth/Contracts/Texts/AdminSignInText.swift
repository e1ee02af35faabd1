internal import AuthOperations

/// The texts of the administrators' sign-in, which also executables without the other pages show,
/// in the order of the files that have them in each language (`Files`).
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
    /// Why a request was refused; nil for what the sign-in does not meet.
    package func problem(_ error: APIError) -> String? {
        switch error {
        case .auth(.administration(.wrongPassword)): self(.problemPassword)
        case .auth(.rateLimited): self(.problemLimit)
        case .auth(.unavailable), .auth(.hook(.unavailable)): self(.problemUnavailable)
        case .auth(.notConfigured): self(.problemSetUp)
        case .auth(.fault): self(.problemFault)
        case .request(.missingField(let name)):
            self(.problemRequired, [("field", field(name))])
        case .auth, .request: nil
        }
    }

    /// A field of a form as the page names it.
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

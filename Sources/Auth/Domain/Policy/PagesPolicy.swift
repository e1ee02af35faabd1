/// The pages for people: sign-in, registration, account.
package struct PagesPolicy: Equatable, Sendable {
    /// The page where people manage their account.
    package static let accountPath = "/auth/ui/account"
    /// The page of the apps that have access to the account.
    package static let applicationsPath = "/auth/ui/applications"

    /// The app's name as people know it; nil: the host of the issuer.
    package var appName: String?
    /// An https URL, or a `data:` URL of an image.
    package var logo: String?
    /// The accent colour.
    package var color: BrandColor?
    /// The addresses of apps to which a sign-in may return.
    package var returns: [String]

    package init(
        appName: String? = nil, logo: String? = nil, color: BrandColor? = nil,
        returns: [String] = []
    ) {
        self.appName = appName
        self.logo = logo
        self.color = color
        self.returns = returns
    }
}

package import AuthDomain

/// The look of a deployment's messages, which is the same as for its pages.
package struct MailLook: Equatable, Sendable {
    /// The name of the application.
    package let app: String
    package let color: BrandColor
    /// An https URL. Mail programs show no images of `data:` URLs.
    package let logo: String?

    package init(app: String, color: BrandColor? = nil, logo: String? = nil) {
        self.app = app
        self.color = color ?? Self.standardColor
        self.logo = logo.flatMap { $0.hasPrefix("https://") ? $0 : nil }
    }

    /// The pages' `--accent`.
    private static let standardColor = BrandColor(0x2F, 0x5B, 0xD7)

    /// The values that `layout.html` may use, but does not have to.
    static let names: Set<String> = ["brand", "color", "textColor", "borderColor"]

    /// - Parameter name: the name of the application, escaped.
    func values(name: String) -> [String: String] {
        let image = logo.map {
            "<img src=\"\(MailValue.escapedForHTML($0))\" alt=\"\(name)\">"
        }
        return [
            "brand": image ?? name, "color": color.text, "textColor": color.textColor.text,
            "borderColor": border.text,
        ]
    }

    /// A mail program decides whether its background is light or dark.
    private var border: BrandColor {
        color.isNear(.white) || color.isNear(.darkCard) ? BrandColor(0x8A, 0x8A, 0x95) : color
    }
}

internal import AuthDomain
internal import Bytes
internal import Contracts
internal import Cryptography
internal import HTML

/// How the pages of one deployment look.
struct PageLook: Sendable {
    let name: String
    let logo: String?
    let style: HTML

    init(_ policy: PagesPolicy, name: String) {
        self.name = name
        logo = policy.logo
        style = PageStyle.css(policy.color)
    }

    /// A whole page.
    func document(_ texts: PageTexts, title: String, isWide: Bool = false, _ body: HTML) -> HTML {
        // The name stands beside the logo for those who do not see it.
        let brand: HTML =
            logo.map { "<img src=\"\($0)\" alt=\"\(name)\">" } ?? "<span>\(name)</span>"
        let width: HTML = isWide ? " class=\"wide\"" : ""
        return HTML.document(
            title: "\(title) · \(name)", language: texts.language, style: style,
            body: """
                <header>\(brand)</header>
                <main\(width)>
                \(body)
                </main>
                """)
    }

    /// Allows only the logo, the script of passkeys, and forms to this origin.
    ///
    /// - Parameter target: an additional target of forms.
    func securityPolicy(formsTo target: String?, usesScript: Bool) -> String {
        let digest = Base64.encode(SHA256.hash(Array((HTML.palette.text + style.text).utf8)))
        return "default-src 'none'; style-src 'sha256-\(digest)'\(imageSource); "
            + (usesScript ? Self.scripts : "")
            + "form-action 'self'\(target.map { " \($0)" } ?? ""); frame-ancestors 'none'; base-uri 'none'"
    }

    private static let scripts =
        "script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types; "

    private var imageSource: String {
        guard let logo else { return "" }
        if logo.hasPrefix("data:") { return "; img-src data:" }
        return "; img-src \(logo.split(separator: "/").prefix(2).joined(separator: "//"))"
    }
}

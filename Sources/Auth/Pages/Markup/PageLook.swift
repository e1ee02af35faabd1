internal import AuthDomain
internal import Bytes
internal import Contracts
internal import Cryptography
internal import HTML

/// The look of a deployment's pages.
struct PageLook: Sendable {
    let name: String
    let logo: String?
    let style: HTML

    init(_ policy: PagesPolicy, name: String) {
        self.name = name
        logo = policy.logo
        style = HTML(joining: [PageStyle.css(policy.color), Self.layout, Self.ways])
    }

    /// A whole page.
    ///
    /// - Parameter person: the part of the header with the signed-in user and the button for
    ///   signing out.
    func document(
        _ texts: PageTexts, title: String, person: (name: HTML, ways: HTML)?, _ body: HTML
    ) -> HTML {
        let brand: HTML = logo.map { "<img src=\"\($0)\" alt=\"\(name)\">" } ?? "\(name)"
        let header: HTML =
            person.map { person in
                """
                <header class="bar"><span>\(brand)<small>\(person.name)</small></span>\
                <nav>\(person.ways)</nav></header>
                """
            } ?? "<header><span>\(brand)</span></header>"
        return HTML.document(
            title: "\(title) · \(name)", language: texts.language.rawValue, style: style,
            body: """
                \(header)
                <main>
                \(body)
                </main>
                """)
    }

    /// Allows only the logo, the script of passkeys, and forms to this origin.
    ///
    /// - Parameter target: an additional target of forms.
    func securityPolicy(formsTo target: String?, usesScript: Bool) -> String {
        let digest = Base64.encode(SHA256.hash(Array((HTML.palette.text + style.text).utf8)))
        let targets = "'self'" + (target.map { " \($0)" } ?? "")
        return "default-src 'none'; style-src 'sha256-\(digest)'\(imageSource); "
            + (usesScript ? Self.scripts : "")
            + "form-action \(targets); frame-ancestors 'none'; base-uri 'none'"
    }

    private static let scripts =
        "script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types; "

    private var imageSource: String {
        guard let logo else { return "" }
        if logo.hasPrefix("data:") { return "; img-src data:" }
        return "; img-src \(logo.split(separator: "/").prefix(2).joined(separator: "//"))"
    }
}

internal import AuthDomain
internal import Bytes
internal import Cryptography
internal import FunctionRuntime
package import HTML

/// The look of the administrators' pages, which is the same as for the sign-in pages.
package enum AdminLook {
    /// A page without navigation.
    ///
    /// - Parameters:
    ///   - app: the name of the app.
    ///   - script: the address of the script that shows a typed password.
    package static func answer(
        _ status: Int, title: String, app: String, in language: PageLanguage,
        script: String? = nil, _ body: HTML
    ) -> Answer {
        answer(
            status, title: title, app: app, in: language, script: script, style: style,
            """
            <header><span>\(app)</span></header>
            <main>
            \(body)
            \(script.map { "<script src=\"\($0)\" async></script>\n" } ?? HTML())</main>
            """)
    }

    /// - Parameter document: header and main part.
    package static func answer(
        _ status: Int, title: String, app: String, in language: PageLanguage,
        hasFrame: Bool = false, script: String? = nil, style: HTML, _ document: HTML
    ) -> Answer {
        let page = HTML.document(
            title: AdminSignInText.texts(in: language)(
                .windowTitle, [("title", title), ("app", app)]),
            language: language.rawValue, style: style, body: document)
        let digest = Base64.encode(SHA256.hash(Array((HTML.palette.text + style.text).utf8)))
        var answer = Answer.html(status, page.text)
        answer.headers = [
            (
                "content-security-policy",
                "default-src 'none'; style-src 'sha256-\(digest)'; form-action 'self'; "
                    + (hasFrame ? "frame-src 'self'; " : "")
                    + (script == nil ? "" : scripts)
                    + "frame-ancestors 'none'; base-uri 'none'"
            ),
            // Forms must send their origin, which "no-referrer" would suppress.
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("x-frame-options", "DENY"),
        ]
        return answer
    }

    private static let scripts =
        "script-src 'self'; require-trusted-types-for 'script'; trusted-types; "

    private static let style = HTML(joining: [PageStyle.css(nil), base])

    /// The style of all pages of the administration.
    package static let base: HTML = """
        body{justify-content:flex-start}
        main{max-width:480px}
        header:not(.bar){margin-top:calc(clamp(16px,9vh,88px) - 24px)}
        .go{display:block;margin-top:20px;padding:10px 16px;border-radius:10px;
        \(PageStyle.fill);font-weight:600;text-align:center;text-decoration:none}
        .or{margin:20px 0 0;text-align:center;font-size:14px;color:var(--soft)}
        .says{margin:16px 0}
        main>.says:first-child{margin-top:0}
        code{font:13px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
        """
}

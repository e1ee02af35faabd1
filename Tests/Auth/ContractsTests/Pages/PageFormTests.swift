import AuthPages
import HTML

/// Headers, languages and looks of the pages.
@Suite("Forms of pages") struct PageFormTests {
    let kit: PageKit

    init() throws { kit = try PageKit() }

    private static let pages = [
        "signin", "register", "reset", "magic-link", "verify-email", "reset-password",
        "add-password", "confirm-email", "undo-email", "undo-change",
    ]

    /// Those without a form for passkeys or a field for a password.
    @Test(arguments: pages.dropFirst(2))
    func `a page loads no resources, cannot be framed, and is small`(page: String) throws {
        var browser = kit.browser()
        browser.open(page)
        expectEqual(browser.status, 200)
        let policy = try #require(browser.header("content-security-policy"))
        let style = try #require(browser.text.components(between: "<style>", and: "</style>"))
        let digest = Base64.encode(SHA256.hash(Array(style.utf8)))
        expectEqual(
            policy,
            "default-src 'none'; style-src 'sha256-\(digest)'; form-action 'self'; "
                + "frame-ancestors 'none'; base-uri 'none'")
        expectEqual(browser.header("referrer-policy"), "same-origin")
        expectEqual(browser.header("cross-origin-opener-policy"), "same-origin")
        expectEqual(browser.header("x-frame-options"), "DENY")
        #expect(browser.text.utf8.count < 30_000)
        for word in ["<script", "style=", "http:", "onclick", "javascript:"] {
            #expect(!browser.text.contains(word))
        }
    }

    @Test(arguments: ["undo-email", "undo-change"])
    func `a page without a code field reports an incomplete link`(page: String) throws {
        var browser = kit.browser()
        browser.open(page)
        #expect(browser.text.contains("The link is not complete"))
        #expect(!browser.text.contains("name=\"code\""))
    }

    @Test func `an invalid field has the focus`() throws {
        var browser = kit.browser()
        browser.open("register")
        browser.submit("register", ["email": PageKit.email, "newPassword": "short"])
        expectEqual(browser.text.ranges(of: " autofocus").count, 1)
        #expect(browser.text.contains("aria-invalid=\"true\" autofocus"))
    }

    @Test func `only forms for passkeys and passwords have a script, which is cached`() throws {
        var browser = kit.browser()
        browser.open("signin")
        let policy = try #require(browser.header("content-security-policy"))
        #expect(policy.contains("; script-src 'self'; connect-src 'self'; "))
        #expect(policy.contains("require-trusted-types-for 'script'; trusted-types; "))
        #expect(browser.text.contains(#"autocomplete="username webauthn""#))
        let path = try #require(
            browser.text.components(between: "<script src=\"", and: "\" async></script>"))
        expectEqual(browser.text.ranges(of: "<script").count, 1)
        browser.open(String(path))
        expectEqual(browser.status, 200)
        expectEqual(browser.header("cache-control"), "public, max-age=31536000, immutable")
        #expect((1...6000).contains(browser.text.utf8.count))
        #expect(!browser.text.contains("innerHTML") && !browser.text.contains("eval("))
        browser.open("script/other.js")
        expectEqual(browser.status, 404)
    }

    @Test func `pages have the language of the browser, or of their address`() throws {
        var browser = kit.browser()
        browser.headers.append(HTTPHeader("accept-language", "de-AT,de;q=0.9"))
        browser.open("signin")
        #expect(browser.text.contains("<html lang=\"de\">"))
        #expect(browser.text.contains("Passwort vergessen?"))
        browser.open("signin", query: [("ui_locales", "en")])
        #expect(browser.text.contains("Forgot your password?"))
        #expect(browser.text.contains(#"action="signin?ui_locales=en""#))
        #expect(browser.text.contains(#"href="register?ui_locales=en""#))
        browser.open("signin", query: [("ui_locales", "tlh")])
        #expect(browser.text.contains("<html lang=\"en\">"))
        browser.headers = [HTTPHeader("sec-fetch-site", "same-origin")]
        browser.open("signin", query: [("ui_locales", "fr de")])
        #expect(browser.text.contains("<html lang=\"de\">"))
        // Only its own language tags are kept.
        for text in ["", "en\"><b>", "en&x", String(repeating: "de ", count: 40)] {
            browser.open("signin", query: [("ui_locales", text)])
            #expect(browser.text.contains(#"action="signin""#))
        }
    }

    @Test func `every text is in both languages, with the same placeholders`() throws {
        compare(PageText.self)
        compare(AdminText.self)
        compare(AdminSignInText.self)
        compare(AuditEventText.self)
    }

    private func compare<Key: TextKey>(_ keys: Key.Type) {
        let (english, german) = (keys.texts(in: .english), keys.texts(in: .german))
        expectEqual(english.count, keys.allCases.count)
        expectEqual(german.count, keys.allCases.count)
        for text in keys.allCases {
            // `signIn.title` is `signInTitle`.
            let parts = english.key(text).split(separator: ".")
            expectEqual(
                parts[0] + parts[1].prefix(1).uppercased() + parts[1].dropFirst(), "\(text)")
            expectEqual(german.key(text), english.key(text))
            let marks = [english(text), german(text)].map { text in
                text.matches(of: /\{\w+\}/).map { String($0.output) }.sorted()
            }
            expectEqual(marks[0], marks[1], "\(text)")
            #expect(!english(text).isEmpty && !german(text).isEmpty)
        }
    }

    @Test func `the app's name, logo and colour are on every page`() throws {
        let kit = try PageKit {
            $0.pages = PagesPolicy(
                appName: "Fish & <Chips>", logo: "https://cdn.example.com/logo.svg",
                color: BrandColor(parsing: "#ffd400"))
        }
        var browser = kit.browser()
        browser.open("signin")
        #expect(browser.text.contains("<title>Sign in · Fish &amp; &lt;Chips&gt;</title>"))
        #expect(
            browser.text.contains(
                #"<img src="https://cdn.example.com/logo.svg" alt="Fish &amp; &lt;Chips&gt;">"#))
        let policy = try #require(browser.header("content-security-policy"))
        #expect(policy.contains("; img-src https://cdn.example.com; script-src"))
    }

    static let colors = [
        "#ffd400", "#000000", "#ffffff", "#2f5bd7", "#FF0000", "#00ff00", "#777777",
    ]

    @Test(arguments: colors)
    func `any colour is legible on both backgrounds, and as a background`(text: String) throws {
        let color = try #require(BrandColor(parsing: text))
        expectEqual(color.text, text.lowercased())
        #expect(color.contrast(with: color.textColor) >= BrandColor.contrastMin)
        for background in [BrandColor.white, .darkCard] {
            let tint = color.tint(on: background)
            let readable = color.readable(on: tint)
            #expect(readable.contrast(with: tint) >= BrandColor.contrastMin)
            #expect(readable.contrast(with: background) >= BrandColor.contrastMin)
        }
    }

    @Test func `buttons have the exact app colour, with an edge if it resembles the card`()
        throws
    {
        let yellow = PageStyle.css(BrandColor(parsing: "#ffdd00")).text
        #expect(yellow.contains(":root{--fill:#ffdd00;--on-fill:#000000;--edge:var(--field);"))
        #expect(yellow.contains("dark){:root{--edge:var(--fill);--tint:"))
        #expect(!PageStyle.css(nil).text.contains("--fill:"))
    }

    @Test(arguments: ["", "#fff", "2f5bd7", "#2f5bdg", "#2f5bd77", "red", "#２f5bd", "#2f5b;}"])
    func `other texts are not accepted as colours`(text: String) {
        expectEqual(BrandColor(parsing: text), nil)
    }
}

extension String {
    fileprivate func components(between start: String, and end: String) -> Substring? {
        guard let first = firstRange(of: start),
            let last = self[first.upperBound...].firstRange(of: end)
        else { return nil }
        return self[first.upperBound..<last.lowerBound]
    }
}

import AuthMail
import AuthTestSupport
import Foundation
import TestSupport

@Suite struct MailTemplateTests {
    static let link = "https://app.example.com/verify?token=abc&x=1"

    static func values(_ kind: Mail.Kind) -> [String: String] {
        let all = [
            "link": link, "code": "123456", "minutes": "30", "device": "iPhone", "method": "Apple",
            "address": "192.0.2.1", "time": "6 January 2026, 12:00 UTC", "app": "Example",
            "added": "6 January 2026, 12:00 UTC",
            "count": "20", "limit": "100", "until": "7 January 2026, 12:00 UTC",
            "chosenAt": "5 January 2026, 11:00 UTC", "application": "Printer",
            "linkRequested": "5 January 2026, 11:00 UTC", "methods": "Apple, Passkey",
            "passwordRequested": "5 January 2026, 11:00 UTC",
        ]
        return all.filter { kind.values.contains($0.key) }
    }

    @Test func `each built-in template is complete, in each language`() {
        expectEqual(MailTemplates.builtIn.check(), [])
        expectEqual(MailTemplates.builtIn.languages, ["en", "de"])
    }

    @Test(arguments: Mail.Kind.allCases, ["en", "de"])
    func `each message has a subject, a text and a page`(
        _ kind: Mail.Kind, _ language: String
    ) throws {
        let mail = Mail(kind, to: "ada@example.com", language: language, values: Self.values(kind))
        let rendered = try MailTemplates.builtIn.render(mail, as: MailLook(app: "Ignored"))
        expectEqual(rendered.language, language)
        #expect(rendered.subject.contains("Example"))
        for text in [rendered.subject, rendered.text, rendered.html] {
            #expect(!text.contains("{{") && !text.contains("}}") && !text.contains("Ignored"))
        }
        for value in Self.values(kind).values {
            #expect(rendered.text.contains(value), "\(value)")
            #expect(
                rendered.html.contains(value.replacingOccurrences(of: "&", with: "&amp;")),
                "\(value)")
        }
        #expect(rendered.html.contains("<html lang=\"\(language)\">"))
        #expect(rendered.text.split(separator: "\n").allSatisfy { $0.utf8.count < 900 })
    }

    @Test(arguments: [("en", "cannot be restored"), ("de", "nicht wiederherstellen")])
    func `a message of a deleted account promises no recovery`(
        language: String, sentence: String
    ) throws {
        let mail = Mail(.accountDeleted, to: "ada@example.com", language: language)
        let rendered = try MailTemplates.builtIn.render(mail, as: MailLook(app: "Example"))
        for text in [rendered.text, rendered.html] {
            #expect(text.contains(sentence))
            #expect(!text.contains("may still") && !text.contains("Vielleicht"))
        }
    }

    @Test func `a paragraph without its value is left out`() throws {
        let mail = Mail(.resetPassword, to: "a@example.com", values: ["code": "123456"])
        let rendered = try MailTemplates.builtIn.render(mail, as: MailLook(app: "Example"))
        #expect(!rendered.text.contains("Open this link") && rendered.text.contains("123456"))
        #expect(!rendered.html.contains("href") && rendered.html.contains("123456"))
        #expect(!rendered.text.contains("minutes"))
    }

    @Test func `a message without link and code is refused`() {
        let mail = Mail(.resetPassword, to: "a@example.com", values: ["minutes": "5"])
        #expect(throws: RenderingFailure.missingValue) {
            try MailTemplates.builtIn.render(mail, as: MailLook(app: "Example"))
        }
    }

    @Test(arguments: [
        ("en", "6 Jan 2026, 12:00 UTC"), ("de", "06.01.2026, 12:00 UTC"),
        ("fr", "2026-01-06, 12:00 UTC"),
    ])
    func `a time is shown as on the pages`(language: String, shown: String) throws {
        var files: [String: [UInt8]] = [:]
        for kind in Mail.Kind.allCases {
            for form in ["txt", "html"] {
                files["\(kind.rawValue).fr.\(form)"] = Array("{{app}}\n\n{{time}}".utf8)
            }
        }
        var problems: [String] = []
        let templates = MailTemplates(overriding: files, problems: &problems)
        let mail = Mail(
            .newDevice, to: "a@example.com", language: language,
            values: ["time": "2026-01-06T12:00:09Z"])
        let rendered = try templates.render(mail, as: MailLook(app: "Example"))
        for text in [rendered.text, rendered.html] {
            #expect(text.contains(shown) && !text.contains("12:00:09"), "\(text)")
        }
    }

    @Test(arguments: ["added", "removed", "replaced", "used"])
    func `the time of a changed second factor is shown as on the pages`(name: String) throws {
        let mail = Mail(
            .secondFactorChanged, to: "a@example.com", values: [name: "2026-01-06T12:00:09Z"])
        let rendered = try MailTemplates.builtIn.render(mail, as: MailLook(app: "Example"))
        for text in [rendered.text, rendered.html] {
            #expect(text.contains("On 6 Jan 2026, 12:00 UTC"), "\(text)")
        }
    }

    @Test func `the layout has the app's name or logo, and its colour with readable text`() throws {
        func html(_ color: String?, _ logo: String? = nil) throws -> String {
            let look = MailLook(
                app: "Fish & Chips", color: color.flatMap(BrandColor.init(parsing:)), logo: logo)
            let mail = Mail(.passwordChanged, to: "a@example.com")
            return try MailTemplates.builtIn.render(mail, as: look).html
        }
        let yellow = try html("#ffdd00", "https://cdn.example.com/a.png?x=1&y=2")
        #expect(yellow.contains("background-color: #ffdd00; color: #000000 !important"))
        #expect(yellow.contains("border: 1px solid #8a8a95"))
        #expect(
            yellow.contains(
                #"<img src="https://cdn.example.com/a.png?x=1&amp;y=2" alt="Fish &amp; Chips">"#))
        let standard = try html(nil, "data:image/png;base64,AA==")
        #expect(standard.contains("background-color: #2f5bd7; color: #ffffff !important"))
        #expect(standard.contains(#"<p class="brand">Fish &amp; Chips</p>"#))
        #expect(!standard.contains("<img"))
    }

    @Test func `values are escaped where they are inserted`() throws {
        let device = "<b onclick='x'>\"&amp;\r\nSubject: y\u{202E}"
        let mail = Mail(.newDevice, to: "a@example.com", values: ["device": device])
        let rendered = try MailTemplates.builtIn.render(mail, as: MailLook(app: "A\"><script>"))
        #expect(rendered.html.contains("&lt;b onclick=&#39;x&#39;&gt;&quot;&amp;amp; Subject: y"))
        #expect(!rendered.html.contains("<b ") && !rendered.html.contains("<script"))
        #expect(rendered.html.contains("<title>New sign-in to A&quot;&gt;&lt;script&gt;</title>"))
        #expect(rendered.text.contains("Device: <b onclick='x'>\"&amp; Subject: y\n"))
    }

    @Test func `names chosen by users are short, and not sent to unverified addresses`() throws {
        let long = String(repeating: "x", count: 500)
        let mail = Mail(.newDevice, to: "a@example.com", values: ["device": long])
        let rendered = try MailTemplates.builtIn.render(mail, as: MailLook(app: "Example"))
        #expect(rendered.text.contains(String(repeating: "x", count: 63) + "…"))
        #expect(!rendered.text.contains(String(repeating: "x", count: 64)))
        for kind in [Mail.Kind.verifyEmail, .alreadyRegistered, .magicLink] {
            #expect(kind.values.isDisjoint(with: ["name", "device"]))
        }
    }

    @Test(arguments: [
        "javascript://alert(1)", "data:text/html,x", "JavaScript://x", "https://x/\"onclick=",
        "https://x/ y", "//x", "x", "", "https://x/\r\nBcc: y", "https://x/<b>", "://x",
        "https://x/" + String(repeating: "y", count: 2000),
    ])
    func `an invalid link is refused`(_ link: String) {
        let mail = Mail(.magicLink, to: "a@example.com", values: ["link": link])
        #expect(throws: RenderingFailure.invalidLink) {
            try MailTemplates.builtIn.render(mail, as: MailLook(app: "Example"))
        }
    }

    @Test func `an app's own scheme is a link`() throws {
        let mail = Mail(
            .magicLink, to: "a@example.com", values: ["link": "com.example.app://x?y=1"])
        let rendered = try MailTemplates.builtIn.render(mail, as: MailLook(app: "Example"))
        #expect(rendered.html.contains("href=\"com.example.app://x?y=1\""))
    }

    @Test(
        arguments: [
            (nil, "en"), ("", "en"), ("de", "de"), ("de-CH", "de"), ("DE-ch", "de"), ("fr", "en"),
            ("fr, de", "de"), ("en;q=0.5, de;q=0.9", "de"), ("en, de", "en"), ("de;q=0, en", "en"),
            ("de;q=0", "en"), ("*", "en"), ("*, de;q=0.5", "de"), ("de;q=1.001", "en"),
            ("de;q=0.0001", "en"), ("de;q=x, en;q=0.1", "en"), ("de ; q=0.3 , fr", "de"),
            ("zh-Hant-x-de", "en"), ("de-a-bcd-x-yz", "de"), ("d\u{E9}", "en"),
            (";;,,", "en"), (String(repeating: "fr,", count: 400) + "de", "en"),
        ] as [(String?, String)])
    func `the most preferred available language is used`(_ header: String?, _ expected: String) {
        expectEqual(
            LanguagePreference(header: header).choose(among: ["en", "de"], otherwise: "en"),
            expected)
    }

    @Test func `the operator's files replace the built-in ones, and every fault is reported`()
        throws
    {
        var problems: [String] = []
        let good = MailTemplates(
            overriding: [
                "magicLink.en.txt": Array(
                    "Hi\n\n{{link}} {{code}} {{app}} {{minutes}} {{hours}}\n".utf8)
            ],
            problems: &problems)
        expectEqual(problems, [])
        let mail = Mail(
            .magicLink, to: "a@example.com",
            values: ["link": Self.link, "code": "1", "minutes": "2", "hours": "3"])
        try expectEqual(good.render(mail, as: MailLook(app: "A")).text, "\(Self.link) 1 A 2 3\n")

        let bad = [
            "magicLink.en.txt": "Hi\nno empty line {{link}}\n", "newDevice.en.txt": "\n\nx\n",
            "verifyEmail.en.html": "<p>\n{{nobody}}\n</p>\n",
            "verifyEmail.de.txt": "x {{link\n\ny\n",
            "nosuch.en.txt": "x", "verifyEmail.en.pdf": "x", "layout.html": "{{content}}",
            "resetPassword.de.txt": "Hi\n\nnothing\n", "accountDeleted.en.txt": "Hi\n",
        ]
        _ = MailTemplates(overriding: bad.mapValues { Array($0.utf8) }, problems: &problems)
        for expected in [
            "magicLink.en.txt line 2: an empty line follows the subject",
            "newDevice.en.txt line 1: the first line is the subject",
            "verifyEmail.en.html line 2: unknown value {{nobody}}",
            "verifyEmail.de.txt line 1: {{ without }}",
            "nosuch.en.txt is not the name of a template",
            "verifyEmail.en.pdf is not the name of a template",
            "layout.html must use {{language}}, {{subject}} and {{content}}",
            "resetPassword.de.txt does not use code, link",
            "accountDeleted.en.txt line 2: the message is empty",
        ] { #expect(problems.contains(expected), "\(expected)") }
    }

    @Test func `a language that is added must be complete`() {
        var problems: [String] = []
        _ = MailTemplates(
            overriding: ["magicLink.fr.txt": Array("Hi\n\n{{link}} {{code}}\n".utf8)],
            problems: &problems)
        #expect(problems.contains("magicLink.fr.html is missing"))
        #expect(problems.contains("accountDeleted.fr.txt is missing"))
        // The kind `signInMethods` is newer than the first templates, so a language may lack it.
        expectEqual(problems.count, 2 * Mail.Kind.allCases.count - 3)
    }
}

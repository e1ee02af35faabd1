import AuthComposition
import FunctionRuntime
import Testing

/// `UI`, `UI_LOGO` and `UI_COLOR`.
@Suite("Page settings") struct PageSettingsTests {
    let deployment: TestDeployment

    init() throws { deployment = try TestDeployment() }

    private var standard: [String: String] {
        [
            "STORE": "memory:", "MAIL": "folder:\(deployment.path("mail"))",
            "OMITTED_FUNCTIONS": "credentials,admin-login",
        ]
    }

    private func problems(_ settings: [String: String]) -> [String] {
        deployment.problems(
            standard.merging(["UI": "on"]) { $1 }.merging(settings) { $1 }, of: "ui")
    }

    private func page(_ settings: [String: String], of function: String? = "ui") throws -> Reply? {
        let settings = standard.merging(settings) { $1 }
        let handler =
            try function.map { try deployment.handler(settings, of: $0) }
            ?? LatchkeyFunction.contractHandler(deployment.assembly(settings), deployment.log)
        guard case .request(let serve) = handler.kind else { return nil }
        return serve(Request(method: "GET", path: "/auth/ui/signin", requestID: "1"))
    }

    @Test(arguments: ["ui", nil])
    func `pages are there when they are on, in the function and in a server`(
        function: String?
    ) throws {
        let links = ["LINK_BASE": "https://app.example.com"]
        #expect(try page(links, of: function)?.status == 404)
        #expect(try page(links.merging(["UI": "off"]) { $1 }, of: function)?.status == 404)
        #expect(try page(["UI": "on"], of: function)?.status == 200)
    }

    @Test func `a server without pages needs nothing for them`() throws {
        let mailing = [
            "register", "resend-verification", "forgot-password", "reset-password",
            "change-password", "magic-link", "redeem-magic-link", "add-password", "confirm-email",
            "change-email", "users", "housekeeping", "link", "methods", "second-factor", "totp",
            "passkeys", "step-up", "merge", "delete-account", "apple-notifications", "credentials",
            "admin-login", "audit", "webhooks",
        ]
        let settings = [
            "STORE": "memory:", "OMITTED_FUNCTIONS": mailing.joined(separator: ","),
            "APPLE_CLIENT_IDS": "com.example.app", "MASTER_KEY": String(repeating: "k", count: 40),
        ]
        func problems(_ ui: String) -> [String] {
            do {
                _ = try LatchkeyFunction.contractHandler(
                    deployment.assembly(settings.merging(["UI": ui]) { $1 }), deployment.log)
                return []
            } catch {
                return error.problems
            }
        }
        #expect(problems("off") == [])
        #expect(problems("on").contains { $0.hasPrefix("MAIL is required") })
    }

    @Test func `wrong settings are refused by name`() {
        #expect(problems([:]) == [])
        #expect(problems(["UI": "yes", "LINK_BASE": "https://a.example"]).count == 1)
        #expect(
            problems(["DPOP": "required"])
                == ["UI: pages cannot prove a key, which DPOP=required asks for"])
        for good in ["#2f5bd7", "#FFFFFF"] { #expect(problems(["UI_COLOR": good]) == []) }
        for bad in ["red", "#fff", "2f5bd7", "#2f5bd7;", "#2f5bd7}"] {
            #expect(problems(["UI_COLOR": bad]) == ["UI_COLOR must be a colour such as #2f5bd7"])
        }
    }

    static let logos: [(String, Bool)] = [
        ("https://cdn.example.com/logo.svg", true), ("https://cdn.example.com:8443/a/b.png", true),
        ("data:image/png;base64,aGVsbG8=", true), ("data:image/svg+xml;base64,aGVsbG8=", true),
        ("http://cdn.example.com/logo.svg", false), ("https://", false),
        ("https://cdn.example.com; script-src *", false), ("https://cdn.example.com'/x", false),
        ("https://cdn.example.com\"/x", false), ("https://cdn.exämple.com/x", false),
        ("data:image/gif;base64,aGVsbG8=", false), ("data:text/html;base64,aGVsbG8=", false),
        ("data:image/png;base64,a", false), ("data:image/png,hello", false),
        ("javascript:alert(1)", false), ("logo.svg", false),
        ("https://user@cdn.example.com/x", false), ("https://*/x", false),
        ("https://cdn.example.com;/x", false), ("https://cdn.example.com,evil.example/x", false),
    ]

    @Test(arguments: logos)
    func `a logo is an https URL or an image in itself`(logo: String, isGood: Bool) {
        let found = problems(["UI_LOGO": logo])
        #expect(found.isEmpty == isGood)
        #expect(found.allSatisfy { $0.hasPrefix("UI_LOGO must be an https URL") })
    }
}

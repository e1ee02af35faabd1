import AuthTestSupport
import Contracts
import FunctionRuntime
import TestSupport

/// The administrator's pages in a browser, in a contract without pages of an application.
@Suite("Administrators' pages") struct AdminPageTests {
    let kit: ContractKit

    init() throws { kit = try ContractKit(.latchkey) }

    private static let path = "/auth/admin/login"

    private func submit(_ path: String, _ form: String, _ cookies: [Cookie] = []) -> Answer {
        kit.http(
            "POST", path, form, type: "application/x-www-form-urlencoded",
            headers: [HTTPHeader("sec-fetch-site", "same-origin")],
            cookies: cookies.map { ($0.name, $0.value) })
    }

    private func page(_ cookies: [Cookie], _ path: String = path) -> String {
        let answer = kit.http("GET", path, type: nil, cookies: cookies.map { ($0.name, $0.value) })
        return answer.status == 200 ? answer.text : ""
    }

    /// The form's target and the redirect after it are paths of the page's own origin: a redirect
    /// to another origin would violate `form-action 'self'`.
    @Test func `the page after a sign-in shows the session and can end it`() throws {
        let login = submit(Self.path, "password=open+sesame&next=%2F")
        expectEqual(login.status, 303)
        expectEqual(login.location, "/admin/ui")
        let signedIn = page(login.cookies)
        #expect(signedIn.contains("You are signed in."))
        #expect(signedIn.contains(#"<form method="post" action="logout">"#))
        #expect(signedIn.contains(#"<a href="../../admin/ui">Continue</a>"#))
        #expect(!signedIn.contains("type=\"password\""))

        let logout = submit("/auth/admin/logout", "", login.cookies)
        expectEqual(logout.location, Self.path)
        #expect(page(login.cookies).contains("type=\"password\""))
        #expect(page([]).contains("type=\"password\""))
    }

    static let sites: [([HTTPHeader], Int)] = [
        ([], 403), ([HTTPHeader("origin", "null")], 403),
        ([HTTPHeader("origin", "https://evil.example"), HTTPHeader("host", "app.example")], 403),
        ([HTTPHeader("origin", "https://app.example")], 403),
        ([HTTPHeader("sec-fetch-site", "same-site")], 403),
        ([HTTPHeader("sec-fetch-site", "same-origin")], 303),
        (
            [HTTPHeader("origin", "http://APP.example:81"), HTTPHeader("host", "app.example:81")],
            303
        ),
    ]

    @Test(arguments: sites) func `only a form of the same site is accepted`(
        headers: [HTTPHeader], status: Int
    ) {
        let answer = kit.http(
            "POST", Self.path, "password=open+sesame", type: "application/x-www-form-urlencoded",
            headers: headers)
        expectEqual(answer.status, status)
    }

    static let forms: [(String, Int)] = [
        ("password=open+sesame&x", 303), ("password=open%20sesame", 303),
        ("password=open+sesame&password=open+sesame", 400), ("password=%", 400),
        ("password=%ff", 400), ("=x&password=y", 401), ("x=1", 400),
        (Array(repeating: "a=1", count: 100).joined(separator: "&"), 400),
    ]

    @Test(arguments: forms) func `a form has each field once, decoded`(form: String, status: Int) {
        expectEqual(submit(Self.path, form).status, status)
    }
}

import AuthDomain
import AuthOperations
import Bytes
import Contracts
import FunctionRuntime
import HTTP
import TestSupport
import Testing

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
        let answer = kit.http(
            "GET", path, type: nil, cookies: cookies.map { ($0.name, $0.value) })
        guard answer.status == 200, case .text(let text, _)? = answer.body else { return "" }
        return text
    }

    /// The form's target and the redirect after it are paths of the page's own origin: a redirect
    /// to another origin would violate `form-action 'self'`.
    @Test func `a sign-in leads to a page that says so, and from there to a sign-out`() throws {
        let login = submit(Self.path, "password=open+sesame&next=%2F")
        expectEqual(login.status, 303)
        expectEqual(login.headers.first { $0.name == "location" }?.value, "/admin/ui")
        let signedIn = page(login.cookies)
        #expect(signedIn.contains("You are signed in."))
        #expect(signedIn.contains(#"<form method="post" action="logout">"#))
        #expect(signedIn.contains(#"<a href="../../admin/ui">Continue</a>"#))
        #expect(!signedIn.contains("type=\"password\""))

        let logout = submit("/auth/admin/logout", "", login.cookies)
        expectEqual(logout.headers.first { $0.name == "location" }?.value, Self.path)
        #expect(page(login.cookies).contains("type=\"password\""))
        #expect(page([]).contains("type=\"password\""))
    }

    @Test func `the browser is redirected back to the page that required the sign-in`() {
        let login = submit(Self.path, "password=open+sesame&next=%2Fauth%2Fusers")
        expectEqual(login.headers.first { $0.name == "location" }?.value, "/auth/users")
    }
}

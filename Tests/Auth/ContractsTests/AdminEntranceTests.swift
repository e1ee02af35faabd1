import AuthDomain
import AuthOperations
import Bytes
import HTTP
import Testing

/// The two ways into the administration: an account with a role, and the administrator's password.
@Suite("Entrance of the administration") struct AdminEntranceTests {
    private static let link = "href=\"../ui/signin?next=%2Fadmin%2Fui\">Sign in with your account<"

    let kit: PageKit

    init() throws { kit = try PageKit() }

    @Test func `sign-in with an account is offered first, also after a wrong password`() {
        let page = kit.kit.http("GET", "/auth/admin/login", type: nil)
        let wrong = kit.kit.submit("/auth/admin/login", [("password", "guess")])
        for (answer, status) in [(page, 200), (wrong, 401)] {
            expectEqual(answer.status, status)
            #expect(answer.text.contains("class=\"go\" \(Self.link)"), "\(answer.text)")
            #expect(answer.text.contains("printed at the first start"))
            #expect(!answer.text.contains("class=\"main\""))
        }
        #expect(wrong.text.contains("The password is wrong."))
    }

    @Test func `without pages for users, administrators sign in with the password only`() throws {
        let page = try PageKit { $0.pages = nil }.kit.http("GET", "/auth/admin/login", type: nil)
        #expect(page.text.contains("class=\"main\"") && !page.text.contains("class=\"go\""))
    }

    @Test func `a person without a role sees the account, and can switch accounts`() throws {
        let browser = try kit.registered()
        let answer = kit.kit.http("GET", "/admin/ui", type: nil, cookies: browser.cookies)
        expectEqual(answer.status, 403)
        #expect(answer.text.contains("You are signed in as Ada."), "\(answer.text)")
        let link = "ui/signin?notice=switching&amp;next=%2Fadmin%2Fui\">Use another account<"
        #expect(answer.text.contains(link), "\(answer.text)")
        var other = browser
        other.open("signin", query: [("notice", "switching"), ("next", "/admin/ui")])
        #expect(other.status == 200 && other.text.contains("name=\"password\""))
    }
}

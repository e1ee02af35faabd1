import FunctionRuntime
import Testing

/// The contract `latchkey` with pages, mail and cheap passwords.
struct PageKit {
    let mail = FakeMailSystem()
    let kit: ContractKit

    static let email = "ada@example.com"
    static let password = "correct horse battery"

    init(_ change: (inout Policy) -> Void = { _ in }) throws {
        var policy = Contract.latchkey.policy
        policy.links = LinkPolicy(base: "https://auth.example.com/auth/ui")
        policy.passwords?.cost = PasswordCost(memoryKiB: 8, passes: 1, lanes: 1)
        change(&policy)
        kit = try ContractKit(
            Contract(
                name: "latchkey", policy: policy, endpoints: Contract.latchkey.endpoints,
                errors: Contract.latchkey.errors), mail: mail)
    }

    func browser(_ userAgent: String = "Mozilla/5.0 (X11; Linux) Firefox/140.0") -> PageBrowser {
        PageBrowser(kit: kit, userAgent: userAgent)
    }

    /// The code of the last mail, once the work after the reply is done.
    func code() throws -> String { try #require(try lastMail().values["code"]) }

    func token() throws -> String {
        let link = try #require(try lastMail().values["link"])
        return String(link.split(separator: "=").last ?? "")
    }

    /// The code of an authenticator app now.
    func code(of secret: String) throws -> String {
        let app = OneTimePassword(secret: SecretBytes(try #require(Base32.decode(secret))))
        return app.code(step: OneTimePassword.step(at: kit.clock.now))
    }

    func lastMail() throws -> Mail {
        kit.auth.afterReply.run(until: nil)
        return try #require(mail.mails.last)
    }

    /// A browser that has registered and is signed in.
    func registered(_ email: String = email) throws -> PageBrowser {
        var browser = browser()
        browser.open("register")
        browser.submit("register", ["email": email, "newPassword": Self.password, "name": "Ada"])
        try #require(browser.location == "verify-email")
        browser.open("verify-email")
        browser.submit("verify-email", ["code": try code()])
        try #require(browser.location == "account", "\(browser.text)")
        return browser
    }
}

/// A browser: it keeps cookies, and sends the hidden fields of the page that it shows.
struct PageBrowser {
    let kit: ContractKit
    var userAgent = "Test"
    var cookies: [(name: String, value: String)] = []
    private(set) var answer = Answer(0, nil)
    private(set) var outcome: Router.Outcome?
    var headers = [HTTPHeader("sec-fetch-site", "same-origin")]

    init(kit: ContractKit, userAgent: String) {
        self.kit = kit
        self.userAgent = userAgent
    }

    var status: Int { answer.status }
    var text: String { answer.text }
    var location: String? { header("location") }

    func header(_ name: String) -> String? { answer.value(name) }
    func cookie(_ name: String) -> String? { cookies.first { $0.name == name }?.value }

    /// The value of a hidden field of the page.
    func hidden(_ name: String) -> String? {
        let mark = "<input type=\"hidden\" name=\"\(name)\" value=\""
        guard let place = text.firstRange(of: mark) else { return nil }
        return String(text[place.upperBound...].prefix { $0 != "\"" })
    }

    mutating func open(_ page: String, query: [(name: String, value: String)] = []) {
        send("GET", page, query: query, body: "", headers: [])
    }

    /// - Parameter token: the form's token; by default the page's token.
    mutating func submit(_ page: String, _ fields: [String: String], token: String? = nil) {
        var fields = fields
        if fields["form"] == nil { fields["form"] = token ?? hidden("form") }
        if fields["token"] == nil { fields["token"] = hidden("token") }
        let body = fields.sorted { $0.key < $1.key }
            .map { "\(PercentEncoding.encode($0.key))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
        send("POST", page, query: [], body: body, headers: headers)
    }

    private mutating func send(
        _ method: String, _ page: String, query: [(name: String, value: String)], body: String,
        headers: [HTTPHeader]
    ) {
        var headers = headers + [HTTPHeader("user-agent", userAgent)]
        if method == "POST" {
            headers.append(HTTPHeader("content-type", "application/x-www-form-urlencoded"))
        }
        let request = Request(
            method: method, path: "/auth/ui/\(page)", query: query,
            headers: headers + self.headers.filter { $0.name == "accept-language" },
            cookies: cookies, body: Array(body.utf8), sourceAddress: "192.0.2.1",
            userAgent: userAgent, requestID: "1")
        outcome = kit.send(request)
        answer = outcome?.answer ?? Answer(0, nil)
        for cookie in answer.cookies {
            cookies.removeAll { $0.name == cookie.name }
            if cookie.maxAgeSeconds != 0 { cookies.append((cookie.name, cookie.value)) }
        }
    }
}

import FunctionRuntime

/// The administrator's pages in a browser, in a contract without pages of an application.
@Suite("Administrators' pages") struct AdminPageTests {
    let kit: ContractKit

    init() throws { kit = try ContractKit(.latchkey) }

    private static let path = "/auth/admin/login"

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

    @Test(arguments: forms) func `form fields are unique and decoded`(form: String, status: Int) {
        let answer = kit.http(
            "POST", Self.path, form, type: "application/x-www-form-urlencoded",
            headers: [HTTPHeader("sec-fetch-site", "same-origin")])
        expectEqual(answer.status, status)
    }
}

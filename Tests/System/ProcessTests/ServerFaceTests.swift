import BaseTestSupport
import Foundation
import Glibc

/// The log of a server without settings, and what a browser sees at its addresses.
@Suite("A server without settings, in its log and in a browser", .serialized, .hangLimit)
struct ServerFaceTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    // MARK: The log

    @Test func `an idle server writes nothing`() throws {
        let server = try HTTPProcess(folder.command([("SERVER_HOUSEKEEPING_SECONDS", "1")]))
        let before = server.process.textSoFar.error
        sleep(4)
        expectEqual(server.process.textSoFar.error, before)
        _ = server.end()
    }

    private func answers(
        _ server: HTTPProcess, _ requests: [String]
    ) throws -> [LoopbackClient.Answer] {
        try requests.map { head in
            let client = try server.client()
            client.send("\(head.split(separator: "\n").joined(separator: "\r\n"))\r\n\r\n")
            return try #require(client.answer())
        }
    }

    private func refusals(_ server: HTTPProcess) throws -> [JSON] {
        try server.end().errorLines.filter { $0.hasPrefix("{") }
            .map { try JSON.parse(Array($0.utf8), limits: .request) }
            .filter { $0["event"] == "refused" }
    }

    @Test func `a refused request is logged with time, method and path, never with its query`()
        throws
    {
        let origins = ("ALLOWED_ORIGINS", "https://app.example.com")
        let server = try HTTPProcess(folder.command([origins]))
        let token = String(repeating: "t", count: 60)
        _ = try answers(
            server,
            [
                "GET /api/auth/me?token=secret HTTP/1.1\nHost: localhost",
                "GET /auth/sessions/\(token) HTTP/1.1\nHost: localhost",
                "DELETE /auth/me HTTP/1.1\nHost: localhost",
                "GET /auth/ui/signin?redirect_uri=https%3A%2F%2Fevil.example%2Fa%3Fx HTTP/1.1\n"
                    + "Host: localhost",
                "OPTIONS /auth/login HTTP/1.1\nHost: localhost\nOrigin: https://other.example\n"
                    + "Access-Control-Request-Method: POST",
                "GET /auth/ui/signin HTTP/1.1\nHost: evil.example",
            ])
        let lines = try refusals(server)
        try #require(lines.count == 6, "\(lines)")
        #expect(lines.allSatisfy { $0["time"]?.stringValue?.hasSuffix("Z") ?? false })
        expectEqual(
            lines.map { $0["path"] },
            [
                "/api/auth/me", "/auth/sessions/<60 bytes>", "/auth/me", "/auth/ui/signin",
                "/auth/login", "/auth/ui/signin",
            ])
        expectEqual(lines.map { $0["method"] }, ["GET", "GET", "DELETE", "GET", "OPTIONS", "GET"])
        expectEqual(
            lines.map { $0["setting"] },
            ["BASE_PATH", nil, nil, "UI_RETURN", "ALLOWED_ORIGINS", "ISSUER"])
        expectEqual(lines[3]["address"], "https://evil.example/a")
        expectEqual(lines[4]["origin"], "https://other.example")
        expectEqual(lines[5]["host"], "evil.example")
        #expect(lines.allSatisfy { !"\($0)".contains("secret") && !"\($0)".contains("ttt") })
    }

    @Test(arguments: ["json", "text"])
    func
        `a web app to which pages return, and which may not call the server, is named at the start`(
            form: String
        ) throws
    {
        func said(_ origins: String?) throws -> String {
            let settings = [
                ("LOG_FORMAT", form),
                ("UI_RETURN", "http://localhost:5173/in,com.example.app:/in"),
            ]
            let server = try HTTPProcess(
                folder.command(settings + (origins.map { [("ALLOWED_ORIGINS", $0)] } ?? [])))
            return server.end().errorText
        }
        let text = try said(nil)
        #expect(text.contains("no page of http://localhost:5173 may call this server"), "\(text)")
        #expect(text.contains("set ALLOWED_ORIGINS=http://localhost:5173"), "\(text)")
        expectEqual(text.contains(#""level":"info","event":"origins_not_allowed""#), form == "json")
        #expect(try !said("http://localhost:5173").contains("may call this server"))
    }

    // MARK: The first page

    private static let browser =
        "Host: localhost\nAccept: text/html,application/xhtml+xml,*/*;q=0.8"

    @Test func `the root redirects to sign-in, account or administration`() throws {
        let server = try HTTPProcess(folder.command())
        func target(_ cookie: String) throws -> String? {
            let answer = try answers(
                server, ["GET / HTTP/1.1\n\(Self.browser)\nCookie: \(cookie)"])[0]
            expectEqual(answer.status, 303)
            return answer.header("location")
        }
        try expectEqual(target("a=b"), "auth/ui/signin")
        try expectEqual(target("latchkey=x~y"), "auth/ui/account")
        try expectEqual(target("admin_session=x"), "admin/ui")
        try expectEqual(
            answers(server, ["GET /auth/ui/signin HTTP/1.1\n\(Self.browser)"])[0].status, 200)
        #expect(try refusals(server).isEmpty)
    }

    @Test func `for an unknown path a browser gets a page, and a program gets JSON`() throws {
        let server = try HTTPProcess(folder.command())
        for path in ["/nope", "/auth/ui/nope", "/admin/ui/nope", "/admin"] {
            let page = try answers(server, ["GET \(path) HTTP/1.1\n\(Self.browser)"])[0]
            expectEqual(page.status, 404, "\(path)")
            #expect(page.body.contains("<h1>Page not found</h1>"), "\(path): \(page.body)")
            expectEqual(page.header("content-type"), "text/html; charset=utf-8")
            #expect(page.header("content-security-policy")?.contains("default-src 'none'") ?? false)
            let json = try answers(
                server, ["GET \(path) HTTP/1.1\nHost: localhost\nAccept: */*"])[0]
            expectEqual(json.status, 404)
            #expect(json.body.contains(#""code":"NOT_FOUND""#))
        }
        let unreadable = try answers(server, ["GET /%zz HTTP/1.1\n\(Self.browser)"])[0]
        #expect(unreadable.status == 400 && unreadable.body.contains("<h1>Page not found</h1>"))
        let method = try answers(server, ["GET /auth/login HTTP/1.1\n\(Self.browser)"])[0]
        expectEqual(method.status, 405)
        let post = try answers(
            server, ["POST /nope HTTP/1.1\n\(Self.browser)\nContent-Length: 0"])[0]
        #expect(post.status == 404 && post.body.hasPrefix("{"))
        let icon = try answers(server, ["GET /favicon.ico HTTP/1.1\nHost: localhost"])[0]
        #expect(icon.status == 200 && icon.body.hasPrefix("<svg "))
        _ = server.end()
    }

    @Test(arguments: ["on", "off"])
    func `under another name browsers get the right address, and programs JSON`(
        pages: String
    ) throws {
        let server = try HTTPProcess(folder.command([("UI", pages)]))
        let own = "http://localhost:\(server.port)"
        for path in ["/", "/nope", "/auth/ui/signin", "/auth/admin/login", "/admin/ui"] {
            let page = try answers(
                server, ["GET \(path) HTTP/1.1\nHost: mybox.lan:8081\nAccept: text/html"])[0]
            if pages == "off", path == "/auth/ui/signin" { continue }
            expectEqual(page.status, 403, "\(path)")
            #expect(page.body.contains("<a href=\"\(own)\(path)\">\(own)</a>"), "\(page.body)")
            #expect(page.body.contains("sets ISSUER=https://mybox.lan and"), "\(page.body)")
            #expect(!page.body.contains("<form") && page.header("set-cookie") == nil)
        }
        let hostile = try answers(
            server, ["GET / HTTP/1.1\nHost: a\"><script>.example\nAccept: text/html"])[0]
        #expect(!hostile.body.contains("script>.example"), "\(hostile.body)")
        for accept in ["*/*", "application/json"] {
            let json = try answers(
                server, ["GET /nope HTTP/1.1\nHost: evil.example\nAccept: \(accept)"])[0]
            #expect(json.status == 404 && json.body.hasPrefix("{"))
        }
        _ = server.end()
    }

    @Test func `pages opened at a loopback address redirect to the host of ISSUER`() throws {
        let server = try HTTPProcess(folder.command())
        let port = server.port
        func location(_ path: String, _ host: String) throws -> String? {
            try answers(server, ["GET \(path) HTTP/1.1\nHost: \(host)\nAccept: text/html"])[0]
                .header("location")
        }
        let own = "http://localhost:\(port)"
        for host in ["127.0.0.1", "127.0.0.2", "[::1]"] {
            try expectEqual(
                location("/auth/ui/verify-email?token=a%26b&x=1", "\(host):\(port)"),
                "\(own)/auth/ui/verify-email?token=a%26b&x=1")
            try expectEqual(
                location("/auth/admin/login", "\(host):\(port)"), "\(own)/auth/admin/login")
        }
        // Perhaps another server's, or a tunnel.
        try expectEqual(location("/auth/ui/signin", "127.0.0.1:1"), nil)
        try expectEqual(location("/auth/ui/signin", "127.0.0.1.evil.example:\(port)"), nil)
        try expectEqual(location("/auth/ui/signin", "192.0.2.1:\(port)"), nil)
        try expectEqual(location("/.well-known/jwks.json", "127.0.0.1:\(port)"), nil)
        _ = server.end()
    }

    @Test func `pages can be switched off`() throws {
        let server = try HTTPProcess(folder.command([("UI", "off")]))
        for path in ["/", "/nope", "/auth/ui/signin"] {
            let answer = try answers(server, ["GET \(path) HTTP/1.1\n\(Self.browser)"])[0]
            #expect(answer.status == 404 && answer.body.hasPrefix("{"), "\(path): \(answer.body)")
        }
        let admin = try answers(server, ["GET /admin/ui/nope HTTP/1.1\n\(Self.browser)"])[0]
        #expect(admin.status == 404 && admin.body.contains("Page not found"))
        _ = server.end()
    }

    @Test func `a mailed link of a server without settings opens a page`() throws {
        let server = try HTTPProcess(folder.command())
        let client = try server.client()
        let body = #"{"email":"ada@example.com","password":"correct horse battery staple 7"}"#
        client.send(HTTPProcess.post("/auth/register", body))
        expectEqual(client.answer()?.status, 202)
        var link: String?
        _ = server.process.waits {
            link =
                server.process.textSoFar.error.firstMatch(of: /"link":"([^"]+)"/)
                .map { String($0.1) }
            return link != nil
        }
        let address = try #require(link)
        let base = "http://localhost:\(server.port)/auth/ui/verify-email?token="
        #expect(address.hasPrefix(base), "\(address)")
        let path = address.dropFirst("http://localhost:\(server.port)".count)
        let page = try answers(server, ["GET \(path) HTTP/1.1\n\(Self.browser)"])[0]
        #expect(page.status == 200 && page.body.contains("<form"), "\(page.body)")
        _ = server.end()
    }
}

internal import Bytes
package import FunctionRuntime
package import JSON

/// A response, independent of the platform.
package struct Answer: Equatable, Sendable {
    package var status: Int
    package var body: Reply.Body?
    package var headers: [(name: String, value: String)]
    package var cookies: [Cookie]

    package init(
        _ status: Int, _ body: Reply.Body?, headers: [(name: String, value: String)] = [],
        cookies: [Cookie] = []
    ) {
        self.status = status
        self.body = body
        self.headers = headers
        self.cookies = cookies
    }

    package init(
        _ status: Int, _ json: JSON, headers: [(name: String, value: String)] = [],
        cookies: [Cookie] = []
    ) {
        self.init(status, .json(json), headers: headers, cookies: cookies)
    }

    /// An answer with status 200.
    package init(_ json: JSON) { self.init(200, json) }

    /// An answer with status 204.
    package static let noContent = Answer(204, nil)

    package static func text(_ status: Int, _ text: String) -> Answer {
        Answer(status, .text(text, type: "text/plain; charset=utf-8"))
    }

    /// A page that loads no external resources and cannot be framed.
    package static func html(_ status: Int, _ html: String, cookies: [Cookie] = []) -> Answer {
        Answer(
            status, .text(html, type: "text/html; charset=utf-8"),
            headers: [
                (
                    "content-security-policy",
                    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
                        + "frame-ancestors 'none'; base-uri 'none'"
                ),
                // Forms on the page must send their origin, which "no-referrer" would suppress.
                ("referrer-policy", "same-origin"),
            ], cookies: cookies)
    }

    /// An answer with status 303: the browser continues with GET.
    package static func redirect(to location: String, cookies: [Cookie] = []) -> Answer {
        Answer(303, nil, headers: [("location", location)], cookies: cookies)
    }

    /// Redirects to absolute paths stay below the base path, which is all that a proxy forwards.
    mutating func addBasePath(_ basePath: String) {
        guard !basePath.isEmpty else { return }
        for index in headers.indices
        where headers[index].name.isSame(as: "location") && headers[index].value.hasPrefix("/") {
            headers[index].value = basePath + headers[index].value
        }
    }

    package static func == (left: Answer, right: Answer) -> Bool {
        left.status == right.status && left.body == right.body && left.cookies == right.cookies
            && left.headers.elementsEqual(right.headers) { $0 == $1 }
    }

    package var reply: Reply {
        Reply(
            status: status, headers: headers, cookies: cookies.map(\.headerValue), content: body)
    }
}

/// A cookie that scripts cannot read (HttpOnly).
package struct Cookie: Equatable, Sendable {
    package enum SameSite: String, Sendable { case lax = "Lax", strict = "Strict" }

    package var name: String
    package var value: String
    /// nil makes a session cookie. Zero deletes the cookie.
    package var maxAgeSeconds: Int64?
    package var path: String
    /// False only if the application is used over plain HTTP on this machine.
    package var isSecure: Bool
    package var sameSite: SameSite

    package init(
        _ name: String, _ value: String, maxAgeSeconds: Int64? = nil, path: String = "/",
        isSecure: Bool = true, sameSite: SameSite = .lax
    ) {
        self.name = name
        self.value = value
        self.maxAgeSeconds = maxAgeSeconds
        self.path = path
        self.isSecure = isSecure
        self.sameSite = sameSite
    }

    /// RFC 6265 section 4.1.1: bytes that are not cookie octets are removed.
    var headerValue: String {
        let octets = value.utf8.filter { byte in
            (0x21...0x7E).contains(byte) && !"\",;\\".utf8.contains(byte)
        }
        var text = "\(name)=\(String(decoding: octets, as: UTF8.self)); Path=\(path); HttpOnly"
        if isSecure { text += "; Secure" }
        text += "; SameSite=\(sameSite.rawValue)"
        if let maxAgeSeconds { text += "; Max-Age=\(maxAgeSeconds)" }
        return text
    }
}

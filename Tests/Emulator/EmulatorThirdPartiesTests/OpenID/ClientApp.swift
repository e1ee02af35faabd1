import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties

/// An app that uses a provider.
struct ClientApp: Sendable {
    static let callback = "http://127.0.0.1:3000/callback"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static var challenge: String { Base64URL.encode(SHA256.hash(utf8: verifier)) }

    let provider: String
    let client: String
    var path: String
    var parameters: [(String, String)]

    static let apple = ClientApp(
        provider: "apple", client: IdentityServiceHarness.appleClient, path: "/auth/authorize",
        parameters: [
            ("response_type", "code"), ("response_mode", "form_post"), ("scope", "name email"),
            ("state", "st"), ("nonce", "n-1"),
        ])
    static let google = ClientApp(
        provider: "google", client: IdentityServiceHarness.googleClient, path: "/o/oauth2/v2/auth",
        parameters: [
            ("response_type", "code"), ("scope", "openid email profile"), ("state", "st"),
            ("nonce", "n-1"), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ])
    static let acme = ClientApp(
        provider: "acme", client: "acme-client", path: "/authorize",
        parameters: [
            ("response_type", "code"), ("scope", "openid email profile offline_access"),
            ("state", "st"), ("nonce", "n-1"),
        ])

    func with(_ changes: (String, String?)...) -> ClientApp {
        var app = self
        for (name, value) in changes {
            app.parameters.removeAll { $0.0 == name }
            if let value { app.parameters.append((name, value)) }
        }
        return app
    }

    var target: String {
        let own = [("client_id", client), ("redirect_uri", Self.callback)].filter { pair in
            !parameters.contains { $0.0 == pair.0 }
        }
        return "/_idp/\(provider)\(path)?"
            + PercentEncoding.form(own + parameters.filter { $0.1 != "<none>" })
    }
}

/// The target of the redirect and its parameters.
struct RedirectResult {
    let url: String
    let fields: [(name: String, value: String)]

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// From a redirect, or from a page with a self-submitting form.
    init(_ response: ServerResponse) throws {
        if let location = response.header("location") {
            expectEqual(response.status, 303)
            let cut = try #require(location.firstIndex { $0 == "?" || $0 == "#" })
            url = String(location[..<cut])
            let pairs = PercentEncoding.parseForm(
                String(location[location.index(after: cut)...]), pairsMax: 20)
            fields = try #require(pairs).map { (name: $0.0, value: $0.1) }
            return
        }
        let html = response.text
        url = try #require(html.attribute("action", after: "<form method=\"post\""))
        fields = html.components(of: "<input type=\"hidden\"").map { input in
            (name: input.attribute("name") ?? "", value: input.attribute("value") ?? "")
        }
    }
}

extension String {
    func components(of mark: String) -> [String] {
        var rest = self[...]
        var found: [String] = []
        while let range = rest.firstRange(of: mark) {
            let tail = rest[range.lowerBound...]
            found.append(String(tail.prefix { $0 != ">" }))
            rest = tail.dropFirst(mark.count)
        }
        return found
    }

    func attribute(_ name: String, after mark: String = "") -> String? {
        guard let start = mark.isEmpty ? startIndex : firstRange(of: mark)?.upperBound,
            let range = self[start...].firstRange(of: "\(name)=\"")
        else { return nil }
        return String(self[range.upperBound...].prefix { $0 != "\"" })
            .replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&amp;", with: "&")
    }
}

extension IdentityServiceHarness {
    func page(_ app: ClientApp) throws -> ServerResponse { try get(app.target) }

    /// Approves without showing the page.
    func approve(_ app: ClientApp, as account: String = "ada@example.com") throws -> RedirectResult
    {
        try RedirectResult(get(app.with(("latchkey_account", account)).target))
    }
}

extension String {
    var transaction: String? { attribute("value", after: "name=\"transaction\"") }
}

import Bytes
import Cryptography
import EmulatorIdentity
import EmulatorServer
import HTTP
import JOSE
import JSON
import Testing
import Time

/// An app that sends people to a provider.
struct App: Sendable {
    static let callback = "http://127.0.0.1:3000/callback"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static var challenge: String { Base64URL.encode(SHA256.hash(utf8: verifier)) }

    let provider: String
    let client: String
    var path: String
    var parameters: [(String, String)]

    static let apple = App(
        provider: "apple", client: Stage.appleClient, path: "/auth/authorize",
        parameters: [
            ("response_type", "code"), ("response_mode", "form_post"), ("scope", "name email"),
            ("state", "st"), ("nonce", "n-1"),
        ])
    static let google = App(
        provider: "google", client: Stage.googleClient, path: "/o/oauth2/v2/auth",
        parameters: [
            ("response_type", "code"), ("scope", "openid email profile"), ("state", "st"),
            ("nonce", "n-1"), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ])
    static let acme = App(
        provider: "acme", client: "acme-client", path: "/authorize",
        parameters: [
            ("response_type", "code"), ("scope", "openid email profile offline_access"),
            ("state", "st"), ("nonce", "n-1"),
        ])

    func with(_ changes: (String, String?)...) -> App {
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

/// Where a browser ends up, and with what.
struct Arrival {
    let url: String
    let fields: [(name: String, value: String)]

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// By a redirect, or by a form that posts itself.
    init(_ response: ServerResponse) throws {
        if let location = response.header("location") {
            #expect(response.status == 303)
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

extension Stage {
    func page(_ app: App) throws -> ServerResponse { try get(app.target) }

    /// Chooses on the page, and follows.
    func choose(_ app: App, _ fields: [(String, String)]) throws -> Arrival {
        let page = try page(app)
        try #require(page.status == 200, "\(page.text)")
        let transaction = try #require(page.text.transaction)
        return try Arrival(
            post("/_idp/\(app.provider)/decision", form: [("transaction", transaction)] + fields))
    }

    /// Without a page.
    func approve(_ app: App, as account: String = "ada@example.com") throws -> Arrival {
        try Arrival(get(app.with(("latchkey_account", account)).target))
    }
}

extension String {
    var transaction: String? { attribute("value", after: "name=\"transaction\"") }
}

@Suite struct AuthorizeTests {
    private static let yes = ("decision", "approve")
    private static let ada = ("account", "ada@example.com")

    @Test func `Apple posts a code, and who it is the first time only`() throws {
        let stage = try Stage()
        let first = try stage.choose(.apple, [Self.ada, Self.yes])
        #expect(first.url == App.callback)
        #expect(first["state"] == "st")
        #expect(first["code"]?.isEmpty == false)
        #expect(first["id_token"] == nil)
        let user = try JSON.parse(Array(try #require(first["user"]).utf8), limits: .request)
        #expect(
            user == [
                "name": ["firstName": "Ada", "lastName": "Lovelace"], "email": "ada@example.com",
            ])
        let second = try stage.choose(.apple, [Self.ada, Self.yes])
        #expect(second["code"] != first["code"])
        #expect(second["user"] == nil)
        let other = try stage.choose(.apple, [("account", "grace@example.com"), Self.yes])
        #expect(other["user"] != nil)
    }

    @Test func `Apple hides an address for good`() throws {
        let stage = try Stage()
        let hidden = try stage.choose(.apple, [Self.ada, ("email_choice", "hide"), Self.yes])
        #expect(hidden["user"]?.contains("@privaterelay.appleid.com") == true)
        #expect(hidden["user"]?.contains("ada@example.com") == false)
        // Later choices change nothing: the app knows them by that address.
        let again = try stage.approve(
            .apple.with(("response_type", "code id_token")), as: "ada@example.com")
        let token = try stage.verify(
            try #require(again["id_token"]), "apple", Stage.appleClient)
        #expect(token.claims["email"]?.stringValue?.hasSuffix("@privaterelay.appleid.com") == true)
        #expect(token.claims["is_private_email"] == "true")
    }

    @Test func `Apple's ID token beside a code is bound to it`() throws {
        let stage = try Stage()
        let arrival = try stage.approve(.apple.with(("response_type", "code id_token")))
        let token = try stage.verify(
            try #require(arrival["id_token"]), "apple", Stage.appleClient)
        let code = try #require(arrival["code"])
        #expect(
            token.claims["c_hash"]
                == .string(Base64URL.encode(SHA256.hash(utf8: code).prefix(16))))
        #expect(token.claims["nonce"] == "n-1")
    }

    @Test func `a name or an address has to be posted`() throws {
        let stage = try Stage.shared.get()
        for mode in ["query", "fragment", nil] {
            let answer = try stage.get(
                App.apple.with(("response_mode", mode)).target,
                headers: [("Accept", "application/json")])
            #expect(answer.status == 400)
            #expect(answer.error == "invalid_request")
            #expect(
                answer.errorDescription
                    == "response_mode must be form_post when name or email scope is requested.")
        }
        let plain = App.apple.with(("response_mode", nil), ("scope", nil))
        #expect(try stage.approve(plain)["code"] != nil)
    }

    @Test func `to cancel is an answer, too`() throws {
        let stage = try Stage.shared.get()
        #expect(
            try stage.choose(.apple, [("decision", "cancel")])["error"]
                == "user_cancelled_authorize")
        #expect(try stage.approve(.apple, as: "cancel")["state"] == "st")
        #expect(try stage.choose(.google, [("decision", "cancel")])["error"] == "access_denied")
        #expect(try stage.choose(.acme, [Self.ada])["error"] == "access_denied")
    }

    @Test func `Google redirects with a code, the state and its scopes`() throws {
        let stage = try Stage.shared.get()
        let arrival = try stage.choose(.google, [Self.ada, Self.yes])
        #expect(arrival.url == App.callback)
        #expect(arrival["state"] == "st")
        #expect(arrival["code"]?.hasPrefix("4/0") == true)
        #expect(
            arrival["scope"]
                == "openid https://www.googleapis.com/auth/userinfo.email https://www.googleapis.com/auth/userinfo.profile"
        )
    }

    @Test func `a page is good for one decision, and ten minutes`() throws {
        let stage = try Stage()
        let transaction = try #require(try stage.page(.google).text.transaction)
        let form = [("transaction", transaction), Self.ada, Self.yes]
        #expect(try stage.post("/_idp/google/decision", form: form).status == 303)
        let again = try stage.post("/_idp/google/decision", form: form)
        #expect(again.status == 400)
        #expect(again.text.contains("This page was used before"))

        let late = try #require(try stage.page(.google).text.transaction)
        // Another issuer's page is nobody's here.
        let elsewhere = try stage.post(
            "/_idp/acme/decision", form: [("transaction", late), Self.ada, Self.yes])
        #expect(elsewhere.status == 400)
        stage.world.advance(.minutes(10))
        let over = try stage.post(
            "/_idp/google/decision", form: [("transaction", late), Self.ada, Self.yes])
        #expect(over.status == 400)
        #expect(try stage.post("/_idp/google/decision", form: [Self.ada, Self.yes]).status == 400)
    }

    @Test func `somebody new is made on the page, and is there the next time`() throws {
        let stage = try Stage()
        let arrival = try stage.choose(
            .apple,
            [
                ("account", "new"), ("new_email", "zoë@example.com"), ("new_name", "Zoë O'Neill"),
                Self.yes,
            ])
        #expect(arrival["user"]?.contains("Zoë") == true)
        let page = try stage.page(.apple).text
        #expect(page.contains("Zoë O&#39;Neill<small>zoë@example.com</small>"))
        let names = try stage.get("/_idp/apple/accounts").json["accounts"]?.arrayValue
        #expect(
            names?.compactMap { $0["name"]?.stringValue } == [
                "Ada Lovelace", "Grace Hopper", "Zoë O'Neill",
            ])
    }

    @Test(
        arguments: [
            [("account", "new")], [("account", "new"), ("new_email", "nobody")], [],
            [("account", "a@b\"><script>")],
            [("account", "new"), ("new_email", "a@b"), ("new_name", "\u{1}")],
        ] as [[(String, String)]])
    func `a choice that is none brings the page back`(fields: [(String, String)]) throws {
        let stage = try Stage.shared.get()
        let transaction = try #require(try stage.page(.acme).text.transaction)
        let page = try stage.post(
            "/_idp/acme/decision", form: [("transaction", transaction), Self.yes] + fields)
        #expect(page.status == 400)
        #expect(page.text.contains("role=\"alert\""))
        let next = try #require(page.text.transaction)
        #expect(next != transaction)
        let arrival = try Arrival(
            stage.post("/_idp/acme/decision", form: [("transaction", next), Self.yes, Self.ada]))
        #expect(arrival["code"] != nil)
    }

    @Test func `whom the app hints at is chosen already`() throws {
        let stage = try Stage.shared.get()
        let grace = try stage.page(.google.with(("login_hint", "GRACE@example.com"))).text
        #expect(grace.contains("value=\"grace@example.com\" checked"))
        let nobody = try stage.page(.google.with(("login_hint", "new@example.com"))).text
        #expect(nobody.contains("value=\"new\" checked"))
        #expect(nobody.contains("name=\"new_email\" value=\"new@example.com\""))
    }

    @Test func `a domain that the app asks for lets nobody else in`() throws {
        let stage = try Stage.shared.get()
        let app = App.google.with(("hd", "corp.example"))
        #expect(try !stage.page(app).text.contains("ada@example.com"))
        #expect(try stage.approve(app)["error"] == "access_denied")
        #expect(try stage.approve(app, as: "bob@Corp.Example")["code"] != nil)
        let any = App.google.with(("hd", "*"))
        #expect(try stage.approve(any)["code"] != nil)
        #expect(try stage.approve(any, as: "bob@gmail.com")["error"] == "access_denied")
    }

    @Test func `without a prompt only those sign in who have agreed before`() throws {
        let stage = try Stage()
        let app = App.acme.with(("prompt", "none"))
        #expect(try Arrival(stage.page(app))["error"] == "login_required")
        let hinted = app.with(("login_hint", "ada@example.com"))
        #expect(try Arrival(stage.page(hinted))["error"] == "interaction_required")
        _ = try stage.approve(.acme)
        #expect(try Arrival(stage.page(hinted))["code"] != nil)
        let more = hinted.with(("scope", "openid address"))
        #expect(try Arrival(stage.page(more))["error"] == "interaction_required")
    }

    @Test func `an ID token without a code comes in the fragment`() throws {
        let stage = try Stage.shared.get()
        let app = App.acme.with(("response_type", "id_token"))
        let location = try stage.get(
            app.with(("latchkey_account", "ada@example.com")).target
        ).header("location")
        #expect(location?.hasPrefix(App.callback + "#") == true)
        let arrival = try stage.approve(app)
        #expect(arrival["code"] == nil)
        let token = try stage.verify(
            try #require(arrival["id_token"]), "acme", "acme-client")
        #expect(token.claims["c_hash"] == nil)
    }

    @Test func `a redirect URI with a query of its own keeps it`() throws {
        let stage = try Stage.shared.get()
        let location = try stage.get(
            App.acme.with(
                ("redirect_uri", "com.example.app:/cb?x=1"),
                ("latchkey_account", "ada@example.com")
            ).target
        ).header("location")
        #expect(location?.hasPrefix("com.example.app:/cb?x=1&state=st&code=") == true)
    }

    @Test(arguments: [
        (("client_id", "<none>"), 400, "invalid_request"),
        (("redirect_uri", "<none>"), 400, "invalid_request"),
        (("redirect_uri", "/callback"), 400, "invalid_request"),
        (("redirect_uri", "javascript:alert(1)"), 400, "invalid_request"),
        (("redirect_uri", "JavaScript:alert(1)"), 400, "invalid_request"),
        (("redirect_uri", "data:text/html,x"), 400, "invalid_request"),
        (("redirect_uri", "http://a/#b"), 400, "invalid_request"),
        (("redirect_uri", "http://"), 400, "invalid_request"),
        (("redirect_uri", "http://a@b/"), 400, "invalid_request"),
        (("redirect_uri", "http://a/\r\nX: y"), 400, "invalid_request"),
        (("client_id", "a b"), 401, "invalid_client"),
        (("client_id", "a/b"), 401, "invalid_client"),
        (("response_type", "<none>"), 400, "invalid_request"),
        (("response_type", "token"), 400, "unsupported_response_type"),
        (("response_type", "code code"), 400, "unsupported_response_type"),
        (("scope", "<none>"), 400, "invalid_request"),
        (("response_mode", "web_message"), 400, "invalid_request"),
        (("code_challenge_method", "plain"), 400, "invalid_request"),
        (("code_challenge_method", "<none>"), 400, "invalid_request"),
        (("code_challenge", "short"), 400, "invalid_request"),
        (("code_challenge", "<none>"), 400, "invalid_request"),
        (("nonce", String(repeating: "n", count: 513)), 400, "invalid_request"),
    ])
    func `Google shows the developer what is wrong, and sends nobody anywhere`(
        change: (String, String), status: Int, error: String
    ) throws {
        let stage = try Stage.shared.get()
        let app = App.google.with((change.0, change.1), ("latchkey_account", "ada@example.com"))
        let answer = try stage.get(app.target, headers: [("Accept", "application/json")])
        #expect(answer.status == status)
        #expect(answer.error == error)
        #expect(answer.header("location") == nil)
        let page = try stage.get(app.target)
        #expect(page.status == status)
        #expect(page.text.contains("<code>\(error)</code>"))
    }

    @Test func `an OpenID provider tells the app`() throws {
        let stage = try Stage.shared.get()
        for (app, error) in [
            (App.acme.with(("scope", "email")), "invalid_scope"),
            (App.acme.with(("response_type", "token")), "unsupported_response_type"),
            (App.acme.with(("code_challenge", App.challenge)), "invalid_request"),
            (App.acme.with(("response_type", "id_token"), ("nonce", nil)), "invalid_request"),
        ] {
            let arrival = try Arrival(stage.page(app))
            #expect(arrival["error"] == error)
            #expect(arrival["state"] == "st")
            #expect(arrival["error_description"]?.isEmpty == false)
        }
    }

    @Test func `Apple knows two scopes`() throws {
        let stage = try Stage.shared.get()
        let answer = try stage.get(
            App.apple.with(("scope", "profile")).target, headers: [("Accept", "application/json")])
        #expect(answer.error == "invalid_scope")
    }

    @Test func `a parameter that is there twice is refused`() throws {
        let stage = try Stage.shared.get()
        let answer = try stage.get(
            App.google.target + "&nonce=n-2", headers: [("Accept", "application/json")])
        #expect(answer.error == "invalid_request")
    }

    @Test func `a client that is registered has its own redirect URIs only`() throws {
        let stage = try Stage(
            IdentityConfiguration(issuers: [
                IssuerDefinition(
                    name: "google", kind: .google,
                    clients: [
                        ClientDefinition(
                            id: Stage.googleClient, redirectURIs: ["http://127.0.0.1:3000/cb"])
                    ], acceptsUnknownClients: false)
            ]))
        let json = [("Accept", "application/json")]
        for uri in [
            "http://127.0.0.1:3000/cb/", "http://127.0.0.1:3000/CB", "http://127.0.0.1:3000/cb?x",
        ] {
            let answer = try stage.get(App.google.with(("redirect_uri", uri)).target, headers: json)
            #expect(answer.error == "redirect_uri_mismatch")
            #expect(answer.status == 400)
        }
        let right = App.google.with(("redirect_uri", "http://127.0.0.1:3000/cb"))
        #expect(try stage.approve(right)["code"] != nil)
        let stranger = try stage.get(
            right.with(("client_id", "nobody")).target, headers: json)
        #expect(stranger.status == 401)
        #expect(stranger.error == "invalid_client")
    }

    @Test func `nothing from outside gets into a page unescaped`() throws {
        let stage = try Stage()
        let evil = "\"><script>alert(1)</script>'&x@y"
        _ = try stage.post(
            "/_idp/apple/accounts", json: ["email": "eve@example.com", "name": .string(evil)])
        let app = App.apple.with(
            ("client_id", "<i>app</i>".replacing("/", with: "")), ("state", evil),
            ("login_hint", evil), ("nonce", "n"))
        let pages = [
            try stage.page(app).text,
            try stage.get(app.with(("latchkey_account", "eve@example.com")).target).text,
            try stage.get(app.with(("response_type", evil)).target).text,
            try stage.get(app.with(("redirect_uri", evil)).target).text,
        ]
        for page in pages {
            #expect(!page.contains("<script>alert"))
            #expect(!page.contains("<i>"))
        }
        #expect(pages[0].contains("&lt;i&gt;app&lt;i&gt;"))
        // What was escaped comes out as it went in.
        #expect(
            try Arrival(stage.get(app.with(("latchkey_account", "eve@example.com")).target))[
                "state"] == evil)
    }

    @Test func `pages load nothing, run nothing of others, and are in no frame`() throws {
        let stage = try Stage.shared.get()
        let page = try stage.page(.apple)
        let policy = try #require(page.header("content-security-policy"))
        #expect(policy.contains("default-src 'none'"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("script-src"))
        #expect(!page.text.contains("<script"))
        #expect(page.header("cache-control") == "no-store")
        #expect(!page.text.contains("src="))
        let post = try stage.get(App.apple.with(("latchkey_account", "ada@example.com")).target)
        let nonce = try #require(post.text.attribute("nonce"))
        #expect(
            try #require(post.header("content-security-policy"))
                .contains("script-src 'nonce-\(nonce)'"))
        // And by hand, where scripts are off.
        #expect(post.text.contains("<button class=\"main\">Continue</button>"))
    }
}

internal import EmulatorFunctions
internal import EmulatorBase
internal import EmulatorOpenID
internal import EmulatorServer
internal import EmulatorTemplate
internal import HTTP
internal import JSON

/// The start page of the control port, at `/` and `/_emulator/`. A browser is redirected to it from
/// the app's `/` too, if the template has no route there.
struct IndexPage {
    let stack: DeployedStack
    let services: EmulatorServices

    /// The pages that a browser can open, with descriptions.
    private static let places = [
        ("/_emulator/mail", "the mail that was sent"),
        ("/_emulator/invocations", "the last invocations: event, answer, log, time, memory"),
        ("/_emulator/traces", "the last requests, each with its calls"),
        ("/_emulator/events", "calls and log lines, as they happen"),
        ("/_emulator/logs", "what the functions logged"),
        ("/_emulator/tables", "the tables; below each name, its items"),
        ("/_emulator/buckets", "the buckets; below each name, its objects"),
        ("/_emulator/sessions", "the sessions of Latchkey's functions"),
        ("/_emulator/schedules", "schedules"),
        ("/_emulator/clock", "the clock"),
        ("/_emulator/health", "addresses, functions, warnings"),
    ]

    private var issuers: [(String, String)] {
        services.identity.issuers.map { name, issuer in
            ("\(issuer)/.well-known/openid-configuration", "the identity provider \(name)")
        }
    }

    static func wantsHTML(_ request: ServerRequest) -> Bool {
        request.method == "GET" && request.header("accept")?.contains("text/html") == true
    }

    func response(to request: ServerRequest) -> ServerResponse {
        guard Self.wantsHTML(request) else {
            return .json([
                "template": .string(services.options.templates.joined(separator: ", ")),
                "app": .string(services.addresses.appURL),
                "aws": .string(services.addresses.awsURL),
                "controls": .string(services.addresses.controlURL),
                "paths": .object(
                    JSONObject((Self.places + issuers).map { ($0.0, .string($0.1)) })),
            ])
        }
        return ServerResponse(
            status: 200,
            headers: [
                HTTPHeader("Content-Type", "text/html; charset=utf-8"),
                HTTPHeader("Cache-Control", "no-store"),
                HTTPHeader(
                    "Content-Security-Policy",
                    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
                        + "form-action 'none'; frame-ancestors 'none'"),
                HTTPHeader("X-Frame-Options", "DENY"),
                HTTPHeader("Cross-Origin-Opener-Policy", "same-origin"),
                HTTPHeader("X-Content-Type-Options", "nosniff"),
            ], body: Array(html(app: appURL(for: request)).text.utf8))
    }

    /// The app's URL, with the host by which the browser reached this page.
    private func appURL(for request: ServerRequest) -> String {
        guard let host = LocalRequestPolicy.hostname(request) else {
            return services.addresses.appURL
        }
        return "http://\(host):\(services.addresses.appPort)"
    }

    private func html(app: String) -> HTML {
        let template = stack.loaded.template
        let routes = RouteList(template).rows.map { row in
            HTML("<li>\(link(row, app: app))\(Self.note(row.function))</li>")
        }
        let places = (Self.places + issuers).map { path, about in
            HTML("<li><a href=\"\(path)\">\(path)</a>\(Self.note(about))</li>")
        }
        let functions = stack.definitions.map {
            HTML("<li>\($0.name)\(Self.note($0.runtime))</li>")
        }
        let warnings = stack.warnings.map { HTML("<li>\($0)</li>") }
        return HTML.document(
            title: "Emulator", style: Self.style,
            body: """
                <main>
                <h1>\(services.options.templates.joined(separator: ", "))</h1>
                \(playground)
                <p>AWS services: <code>\(services.addresses.awsURL)</code></p>
                \(Self.section("Routes", routes))
                \(Self.section("Functions", functions))
                \(Self.section("Emulator", places))
                \(Self.section("Differences from AWS", warnings))
                </main>
                """)
    }

    private var playground: HTML {
        guard let url = services.addresses.playgroundURL else { return HTML() }
        return "<p>Try it: <a href=\"\(url)\">\(url)</a></p>"
    }

    /// A browser can open GET routes without parameters in the path.
    private func link(_ row: RouteList.Row, app: String) -> HTML {
        guard let path = row.path, ["GET", "ANY"].contains(row.method), !path.contains("{") else {
            return HTML("\(row.text)")
        }
        return HTML("<a href=\"\(app)\(path)\">\(row.text)</a>")
    }

    private static func note(_ text: String) -> HTML { "<small>\(text)</small>" }

    private static func section(_ title: String, _ items: [HTML]) -> HTML {
        guard !items.isEmpty else { return HTML() }
        return "<h2>\(title)</h2><ul>\(HTML(joining: items))</ul>"
    }

    private static let style: HTML = """
        body{margin:0;background:var(--page);color:var(--ink);
        font:15px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
        main{max-width:56rem;margin:0 auto;padding:1.5rem 1.25rem}
        h1{font-size:1.25rem;margin:0;overflow-wrap:anywhere}
        h2{font-size:.85rem;margin:1.5rem 0 .4rem;color:var(--soft);font-weight:600}
        p{margin:.3rem 0;color:var(--soft)}
        ul{margin:0;padding:.4rem 1.1rem;list-style:none;background:var(--card);
        border:1px solid var(--line);border-radius:.8rem}
        li{padding:.25rem 0;overflow-wrap:anywhere}
        a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
        small{color:var(--soft);margin-left:.7rem}
        code{font:13.5px/1.5 ui-monospace,Menlo,Consolas,monospace}
        """
}

internal import EmulatorBase
internal import EmulatorGateway
internal import EmulatorLambda
internal import EmulatorThirdParties
internal import HTTP
internal import JSON

/// The index of the emulator: `GET /_emulator/`, also for the dashboard's list of routes.
struct EmulatorIndex {
    let stack: DeployedStack
    let services: EmulatorServices

    /// The paths that a browser can open, with descriptions.
    private static let places = [
        ("/_emulator/mail", "the mail that was sent"),
        ("/_emulator/received", "what functions sent to the app's own servers"),
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

    func response(to request: ServerRequest) -> ServerResponse {
        let app = appURL(for: request)
        var index: JSONObject = [
            "template": .string(services.options.templates.joined(separator: ", ")),
            "app": .string(services.addresses.appURL), "aws": .string(services.addresses.awsURL),
            "controls": .string(services.addresses.controlURL),
            "paths": .object(JSONObject((Self.places + issuers).map { ($0.0, .string($0.1)) })),
            "routes": .array(RouteList(stack.loaded.template).rows.map { Self.route($0, app) }),
            "functions": .array(
                stack.definitions.map {
                    ["name": .string($0.name), "runtime": .string($0.runtime)]
                }),
            "problems": .array(stack.problems.map { .string($0) }),
            "warnings": .array(stack.warnings.map { .string($0) }),
        ]
        index["playground"] = services.addresses.playgroundURL.map { .string($0) }
        return .json(.object(index))
    }

    /// The app's URL, with the host that the browser used for the control port.
    private func appURL(for request: ServerRequest) -> String {
        guard let host = LocalRequestPolicy.hostname(request) else {
            return services.addresses.appURL
        }
        return "http://\(host):\(services.addresses.appPort)"
    }

    private static func route(_ row: RouteList.Row, _ app: String) -> JSON {
        var route: JSONObject = [
            "text": .string(row.text), "function": .string(row.function),
        ]
        route["key"] = row.key.map { .string($0) }
        // A browser can open GET routes without parameters in the path.
        if let path = row.path, ["GET", "ANY"].contains(row.method), !path.contains("{") {
            route["url"] = .string(app + path)
        }
        return .object(route)
    }
}

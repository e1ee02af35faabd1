internal import Bytes
internal import EmulatorApp
internal import EmulatorBase
internal import EmulatorLambda
internal import EmulatorReplay
internal import HTTP
internal import HTTPClient
internal import JSON

// Commands for a running emulator.
extension Command {
    static let url = EmulatorLocation.flag

    static let tick = Command(
        name: "tick", operands: "NAME",
        summary: "Runs a schedule of the template now and prints the function's response.",
        details: """
            NAME is the name that 'serve --verbose' lists, such as NightlyFunctionEveryDay. The
            schedule itself does not change. Exits with 1 if the function fails. Example:

              emulator tick HousekeepingFunctionEveryMinute
            """,
        flags: [url]
    ) { arguments, console in
        let name = try arguments.operands(["NAME"])[0]
        let answer = try ControlClient(arguments).ask(
            .post, "schedules/\(PercentEncoding.encode(name))")
        console.print(answer["answer"]?.stringValue ?? "")
        return 0
    }

    static let expireNow = Command(
        name: "expire-now", operands: "",
        summary: "Deletes the items whose time to live has passed.",
        details: """
            DynamoDB deletes such items within days, so an application must not rely on it: with
            this command it can be tested both before and after. Uses the time of 'emulator clock'.
            Prints the number of deleted items. Example:

              emulator clock +2h && emulator expire-now
            """, flags: [url]
    ) { arguments, console in
        _ = try arguments.operands([])
        let control = try ControlClient(arguments)
        try control.requireChosenEmulator()
        let answer = try control.ask(.post, "expire-now")
        let count = answer["expired"]?.int64Value ?? 0
        console.print(count == 1 ? "1 item deleted" : "\(count) items deleted")
        return 0
    }

    static let clock = Command(
        name: "clock", operands: "[+2h | -2h | reset]",
        summary: "Prints the emulator's clock, or moves it: +90s, +15m, -2h, +30d.",
        details: """
            The clock determines when items and credentials expire and when schedules run.
            Functions, tokens and signatures use the system clock: an access token
            is still valid after +2h. For tokens that have expired, mint ID tokens with
            "expiresIn" or the fault "expired", or give the function a short lifetime.
            The offset is reset when the emulator stops.
            """, flags: [url]
    ) { arguments, console in
        let words = try arguments.operands(["TIME"], optional: 1)
        let change = try words.first.map(Self.change)
        let control = try ControlClient(arguments)
        if change != nil { try control.requireChosenEmulator() }
        let answer =
            try change.map { try control.ask(.post, "clock", $0) } ?? control.ask(.get, "clock")
        let ahead = answer["aheadSeconds"]?.int64Value ?? 0
        let distance = "\(ahead.magnitude) s \(ahead < 0 ? "behind" : "ahead")"
        console.print("\(answer["now"]?.stringValue ?? "")\(ahead == 0 ? "" : ", \(distance)")")
        return 0
    }

    private static func change(_ text: String) throws -> JSON {
        if text == "reset" { return ["reset": true] }
        guard let seconds = seconds(text) else {
            throw UsageError(
                description: "invalid time '\(text)': expected a form like +2h or -2h")
        }
        return ["seconds": .number(seconds)]
    }

    private static func seconds(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }),
            let sign = text.first, sign == "+" || sign == "-",
            let count = Int64(text.dropFirst().dropLast()),
            (0...36_525).contains(count / 86_400 * unit)
        else { return nil }
        return (sign == "-" ? -count : count) * unit
    }

    static let logs = Command(
        name: "logs", operands: "[FUNCTION]",
        summary: "Prints the logs of the functions.",
        details: """
            FUNCTION is a function's name; emulator stands for the emulator's own lines. The last
            5000 lines are kept. Each line begins with the function's name. Example:

              emulator logs SignInFunction -f
            """,
        flags: [url, Flag("-f", nil, "Follow: keep printing new lines.")]
    ) { arguments, console in
        let function = try arguments.operands(["FUNCTION"], optional: 1).first
        let control = try ControlClient(arguments)
        if let function { try Self.check(function, isOf: control) }
        var last: Int64 = 0
        while true {
            let answer = try control.ask(.get, "logs?after=\(last)")
            for line in answer["lines"]?.arrayValue ?? [] {
                let name = line["function"]?.stringValue ?? ""
                guard function.map({ $0.isSame(as: name) }) ?? true else { continue }
                console.print("\(name)  \(line["text"]?.stringValue ?? "")")
            }
            last = answer["last"]?.int64Value ?? last
            guard arguments.has("-f") else { return 0 }
            ThreadSleep.milliseconds(300)
        }
    }
}

extension Command {
    /// `emulator` selects the emulator's own lines.
    private static func check(_ function: String, isOf control: ControlClient) throws {
        let functions = try control.ask(.get, "health")["functions"]?.arrayValue ?? []
        let names = functions.compactMap(\.stringValue) + ["emulator"]
        guard !names.contains(where: function.isSame) else { return }
        let hint = NearestName.hint(function, among: names)
        throw CommandFailure(
            "function not found: \(function)\(hint.isEmpty ? "." : hint) "
                + "Functions: \(names.joined(separator: ", "))")
    }
}

/// A client of the control API of a running emulator, `/_emulator/`.
struct ControlClient: Sendable {
    private let location: EmulatorLocation
    private let transport: HTTPTransport

    private var base: String { location.url }

    init(_ arguments: Arguments) throws(UsageError) {
        location = try EmulatorLocation(arguments)
        transport =
            CurlTransport(trust: CertificateTrust { EnvironmentVariables.variable($0) }).transport
    }

    func ask(_ method: HTTPRequest.Method, _ path: String, _ body: JSON? = nil) throws -> JSON {
        let response = try send(method, path, body?.serialized ?? [])
        guard let json = Self.json(response) else {
            throw CommandFailure("\(base) is not an emulator: its response is not JSON")
        }
        return json
    }

    /// The emulator's template and folder, for messages.
    func identity() throws -> String { Self.identity(try ask(.get, "health")) }

    private static func identity(_ health: JSON) -> String {
        let template = health["template"]?.stringValue ?? "a template"
        return "\(template) in \(health["folder"]?.stringValue ?? "an unknown folder")"
    }

    /// Throws if the emulator was only found at the default port, because it may belong to another
    /// project. Commands that delete or change state call this.
    func requireChosenEmulator() throws {
        guard !location.isKnown else { return }
        let health = try ask(.get, "health")
        guard health["folder"]?.stringValue != Files.absolute(".") else { return }
        throw CommandFailure(
            "the emulator at \(base) was not started in this folder: it serves "
                + "\(Self.identity(health)). If you mean it, add --url \(base)")
    }

    /// The response, if its status is 2xx.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8] = []
    ) throws -> HTTPResponse {
        let request = HTTPRequest(
            method, "\(base)\(ControlAPI.prefix)\(path)",
            headers: [HTTPHeader("Content-Type", "application/json")], body: body,
            limits: HTTPLimits(
                connectMillisecondsMax: 2000, totalMillisecondsMax: 900_000,
                responseBytesMax: StateLimits.lineBytesMax))
        let response: HTTPResponse
        do throws(HTTPFailure) {
            response = try transport.send(request)
        } catch {
            guard case .connectFailed = error else {
                throw CommandFailure("no answer from the emulator at \(base): \(error.reason)")
            }
            throw CommandFailure(
                "no emulator answers at \(base) (\(error.reason)); start one with "
                    + "'emulator serve', or give the address of one of its ports with --url or "
                    + EmulatorLocation.variable + location.remark)
        }
        guard (200..<300).contains(response.status) else {
            let message = Self.json(response)?["message"]?.stringValue
            throw CommandFailure(message ?? "\(base) responded with HTTP status \(response.status)")
        }
        return response
    }

    /// Sends a request as an app would, on a new connection; nil if there is no response.
    func appRequest(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSON? = nil, bearer: String? = nil
    ) -> (status: Int, body: JSON)? {
        var headers = [HTTPHeader("Content-Type", "application/json")]
        if let bearer { headers.append(HTTPHeader("Authorization", "Bearer \(bearer)")) }
        let endpoint = EmulatorEndpoint(at: base, transport)?.appURL ?? base
        let request = HTTPRequest(
            method, endpoint + path, headers: headers, body: body?.serialized ?? [],
            limits: HTTPLimits(
                connectMillisecondsMax: 2000, totalMillisecondsMax: 60_000,
                responseBytesMax: 1 << 20))
        // The connection is not reused, because curl repeats a request if a reused connection is
        // reset.
        let fresh = CurlTransport(trust: CertificateTrust { EnvironmentVariables.variable($0) })
        guard let response = try? fresh.transport.send(request) else { return nil }
        return (response.status, Self.json(response) ?? .null)
    }

    private static func json(_ response: HTTPResponse) -> JSON? {
        let limits = JSONLimits(bytesMax: 64 << 20, depthMax: 64, membersMax: nil)
        return try? JSON.parse(response.body, limits: limits)
    }
}

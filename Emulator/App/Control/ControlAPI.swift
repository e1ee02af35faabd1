internal import Bytes
internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorDynamoDB
internal import EmulatorGateway
internal import EmulatorLambda
internal import EmulatorThirdParties
internal import HTTP
internal import JSON
internal import Time

/// The control API of the emulator, `/_emulator/`.
package struct ControlAPI: Sendable {
    package static let prefix = "/_emulator/"

    static func serves(path: Substring) -> Bool {
        path.utf8.starts(with: prefix.utf8) || path == "/_emulator"
    }

    let services: EmulatorServices
    let scheduler: Scheduler
    /// The CA certificate for HTTPS, if enabled.
    let authorityPEM: String?

    func handle(_ request: ServerRequest, _ slot: ResponseSlot) {
        let parts = request.path.dropFirst(Self.prefix.utf8.count).split(separator: "/")
            .map { PercentEncoding.decode($0, plusIsSpace: false) ?? "" }
        switch (request.method, parts.first ?? "", parts.count) {
        case ("GET", "", 0): slot.respondAlways(index(request))
        case ("GET", "health", 1): slot.respondAlways(health)
        case (_, InvocationAPI.place, 2):
            InvocationAPI(services: services).handle(request, parts[1], slot)
        case ("GET", let first, _) where TraceAPI.places.contains(first):
            TraceAPI(services).handle(request, parts, slot)
        case ("GET", "ca.pem", 1): slot.respondAlways(certificate)
        case ("GET", "logs", 1): slot.respondAlways(logs(request))
        case ("POST", "expire-now", 1): slot.respondAlways(expire())
        case (_, "state", 1):
            // The copy runs on its own thread, so that other requests are served in the meantime.
            let isStarted = BackgroundThread.run {
                slot.respondAlways(StateAPI(services: services).handle(request))
            }
            if !isStarted { slot.respondAlways(.error(503, "Too many requests in progress.")) }
        case (let method, let first, _) where FaultAPI.serves(first):
            slot.respondAlways(services.faultAPI.answer(method, parts, request.body))
        case (_, let first, _) where BrowsingAPI.serves(first):
            BrowsingAPI(services: services).handle(request, parts, slot)
        case (_, RecordingAPI.place, _):
            RecordingAPI(services: services).handle(request, parts, slot)
        case ("POST", RecordingAPI.replays, 3):
            RecordingAPI(services: services).replay("\(parts[1])/\(parts[2])", slot)
        case (_, ExperimentAPI.place, _):
            ExperimentAPI(services: services).handle(request, parts, slot)
        case (_, "received", _): services.receiver.handle(request, slot)
        case ("GET", "providers", 1): slot.respondAlways(providers)
        case ("GET", "providers", 3) where parts[2] == "accounts":
            let path = "\(IdentityService.prefix)/\(PercentEncoding.encode(parts[1]))/accounts"
            services.identity.handle(ServerRequest(method: "GET", target: path), slot)
        case (_, OpenTelemetryAPI.place, _):
            slot.respondAlways(OpenTelemetryAPI(services).answer(request, parts))
        case ("GET", "clock", 1): slot.respondAlways(clock)
        case ("POST", "clock", 1): slot.respondAlways(moveClock(request))
        case ("GET", "schedules", 1): slot.respondAlways(schedules)
        case ("POST", "schedules", 2): tick(parts[1], slot)
        default:
            slot.respondAlways(
                .error(404, "Not found: \(request.method) \(request.path)"))
        }
    }

    private func index(_ request: ServerRequest) -> ServerResponse {
        guard let stack = services.stack else { return .json(["ready": false], status: 503) }
        return EmulatorIndex(stack: stack, services: services).response(to: request)
    }

    private var health: ServerResponse {
        guard let stack = services.stack else {
            return .json(["ready": false], status: 503)
        }
        var object: JSONObject = [
            "ready": true, "url": .string(services.addresses.appURL),
            "awsUrl": .string(services.addresses.awsURL),
            "controlUrl": .string(services.addresses.controlURL),
            "issuerUrl": .string(services.addresses.issuerURL),
            "template": .string(services.options.templates.joined(separator: ", ")),
            // Commands that delete state recognise the emulator of their own folder by this member.
            "folder": .string(Files.absolute(".")),
            "functions": .array(stack.definitions.map { .string($0.name) }),
            "problems": .array(stack.problems.map { .string($0) }),
            "warnings": .array(stack.warnings.map { .string($0) }),
            "faults": .array(services.faultAPI.lines.map { .string($0) }),
        ]
        if let url = services.addresses.playgroundURL { object["playgroundUrl"] = .string(url) }
        return .json(.object(object))
    }

    private var certificate: ServerResponse {
        guard let pem = authorityPEM else {
            return .error(404, "Not found: the emulator was started without --tls.")
        }
        // With this type, Safari on iOS offers to install the file as a profile.
        return ServerResponse(
            status: 200, headers: [HTTPHeader("Content-Type", "application/x-x509-ca-cert")],
            body: Array(pem.utf8))
    }

    private func logs(_ request: ServerRequest) -> ServerResponse {
        let query = PercentEncoding.parseForm(String(request.query ?? ""), pairsMax: 8) ?? []
        let after = query.first { $0.0 == "after" }.flatMap { Int($0.1) } ?? 0
        let (lines, last) = services.log.lines(after: after, linesMax: 1000)
        return .json([
            "last": .number(Int64(last)),
            "lines": .array(
                lines.map { line in
                    var object: JSONObject = [
                        "at": .string(line.at.iso8601Milliseconds),
                        "function": .string(line.function), "text": .string(line.text),
                    ]
                    object["requestId"] = line.requestID.map { .string($0) }
                    return .object(object)
                }),
        ])
    }

    private func expire() -> ServerResponse {
        do {
            let count = try services.tables.expireNow(at: services.clock.now)
            return .json(["expired": .number(Int64(count))])
        } catch {
            return .error(500, "\(error)")
        }
    }

    private var clock: ServerResponse {
        .json([
            "now": .string(services.clock.now.iso8601Milliseconds),
            "aheadSeconds": .number(services.clock.ahead.seconds),
        ])
    }

    private func moveClock(_ request: ServerRequest) -> ServerResponse {
        let body = try? JSON.parse(request.body, limits: .request)
        if body?["reset"]?.boolValue == true {
            services.clock.reset()
            services.renewCredentials()
        } else if let seconds = body?["seconds"]?.int64Value,
            (-3_155_760_000...3_155_760_000).contains(seconds)
        {
            services.clock.move(by: .seconds(seconds))
            services.renewCredentials()
        } else {
            return .error(
                400,
                #"Invalid body: expected {"seconds": N}, at most 100 years, or {"reset": true}."#)
        }
        return clock
    }

    private var providers: ServerResponse {
        .json(["providers": .array(services.identity.issuers.map { .string($0.name) })])
    }

    private var schedules: ServerResponse {
        .json([
            "schedules": .array(
                (services.stack?.loaded.template.schedules ?? []).map { schedule in
                    [
                        "name": .string(schedule.name),
                        "function": .string(schedule.function.text),
                        "enabled": .bool(schedule.isEnabled),
                    ]
                })
        ])
    }

    private func tick(_ name: String, _ slot: ResponseSlot) {
        let schedules = services.stack?.loaded.template.schedules ?? []
        let found = schedules.filter {
            $0.name.isSame(as: name) || $0.function.text.isSame(as: name)
        }
        guard let schedule = found.first else {
            let known = schedules.map(\.name).joined(separator: ", ")
            return slot.respondAlways(
                .error(
                    404,
                    known.isEmpty
                        ? "The template has no schedules."
                        : "Schedule not found: \(name). Schedules: \(known)."))
        }
        scheduler.fire(schedule) { result in
            switch result.outcome {
            case .answered(let bytes):
                slot.respondAlways(
                    .json([
                        "function": .string(schedule.function.text),
                        "answer": .string(String(decoding: bytes, as: UTF8.self)),
                    ]))
            case .failed(let error):
                slot.respondAlways(.error(502, String(decoding: error, as: UTF8.self)))
            case .throttled(let reason): slot.respondAlways(.error(429, reason))
            case .unknownFunction:
                slot.respondAlways(.error(404, "Function not found: \(schedule.function)."))
            }
        }
    }
}

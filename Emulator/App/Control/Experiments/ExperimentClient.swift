internal import EmulatorBase
internal import EmulatorDebugging
internal import HTTP
internal import HTTPClient
internal import JSON
internal import Time

/// Why an experiment has no result.
struct ExperimentFailure: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// The client of an experiment: it sends requests as an app would, and adds faults and gates.
struct ExperimentClient: Sendable {
    let services: EmulatorServices

    /// The status is nil if there was no response.
    typealias Answer = (status: Int?, body: JSON, trace: String)

    /// Each request has a new connection, because curl repeats a request if a reused connection is
    /// reset.
    func send(_ path: String, _ body: JSON, bearer: String? = nil) -> Answer {
        let trace = "\(services.traces.newTrace(at: WallClock.system.now()))"
        var headers = [
            HTTPHeader("Content-Type", "application/json"),
            HTTPHeader("X-Amzn-Trace-Id", "Root=\(trace)"),
        ]
        if let bearer { headers.append(HTTPHeader("Authorization", "Bearer \(bearer)")) }
        let request = HTTPRequest(
            .post, services.addresses.appURL + path, headers: headers, body: body.serialized,
            limits: HTTPLimits(
                connectMillisecondsMax: 2000, totalMillisecondsMax: 60_000,
                responseBytesMax: 1 << 20))
        let fresh = CurlTransport(trust: CertificateTrust { EnvironmentVariables.variable($0) })
        guard let response = try? fresh.transport.send(request) else { return (nil, .null, trace) }
        return (
            response.status, (try? JSON.parse(response.body, limits: .event)) ?? .null, trace
        )
    }

    /// The number of the new fault or gate.
    func add(_ kind: String, _ plan: JSON) throws(ExperimentFailure) -> Int64 {
        let answer = services.faultAPI.answer("POST", [kind], plan.serialized)
        let body = try? JSON.parse(answer.body, limits: .event)
        guard let id = body?["added"]?.arrayValue?.first?.int64Value else {
            throw ExperimentFailure(
                body?["message"]?.stringValue ?? "the emulator did not say what it added")
        }
        return id
    }

    func remove(_ kind: String, _ id: Int64) {
        _ = services.faultAPI.answer("DELETE", [kind, "\(id)"], [])
    }

    func gate(_ id: Int64) -> JSON? {
        let answer = services.faultAPI.answer("GET", ["gates"], [])
        let gates = (try? JSON.parse(answer.body, limits: .event))?["gates"]?.arrayValue ?? []
        return gates.first { $0["id"]?.int64Value == id }
    }
}

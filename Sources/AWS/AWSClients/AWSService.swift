internal import AWSSignature
internal import HTTP
internal import Time

/// One service at one endpoint: signs, sends and retries calls.
struct AWSService: Sendable {
    let name: AWSServiceName
    let settings: AWSSettings
    let ports: AWSPorts
    private let keys = SigningKeyCache()

    init(name: AWSServiceName, settings: AWSSettings, ports: AWSPorts) {
        self.name = name
        self.settings = settings
        self.ports = ports
    }

    /// The result of parsing one response.
    enum Reading<Value> {
        case done(Value)
        case failed(AWSFailure, Retryability)
    }

    /// `credentials` is nil for a call that must not be signed.
    func perform<Value>(
        _ request: HTTPRequest, credentials: CredentialsProvider?, repeating: Repetition,
        read: (HTTPResponse) -> Reading<Value>
    ) throws(AWSFailure) -> Value {
        let parts = [(request: request, repetition: repeating)]
        return try perform(parts, credentials: credentials, read: read)[0].get()
    }

    /// Performs independent calls concurrently; the results are in their order. The retry rules of
    /// a single call apply: all calls that may be retried are sent again in the next round, and
    /// share the pauses and the total time.
    func perform<Value>(
        _ parts: [(request: HTTPRequest, repetition: Repetition)],
        credentials: CredentialsProvider?, read: (HTTPResponse) -> Reading<Value>
    ) -> [Result<Value, AWSFailure>] {
        let start = ports.clock.now()
        let deadline = start + .milliseconds(ports.retry.totalMillisecondsMax)
        var outcomes: [Result<Value, AWSFailure>?] = Array(repeating: nil, count: parts.count)
        var pending = Array(parts.indices)
        var attempt = 1
        while true {
            let readings = answers(
                pending.map { parts[$0].request }, credentials: credentials, before: deadline,
                read: read)
            var failed: [Int] = []
            for (index, reading) in zip(pending, readings) {
                switch reading {
                case .done(let value):
                    outcomes[index] = .success(value)
                case .failed(let failure, let retry):
                    outcomes[index] = .failure(failure)
                    if parts[index].repetition.allows(retry) { failed.append(index) }
                }
            }
            guard !failed.isEmpty, attempt < ports.retry.attemptsMax else { break }
            let pause = ports.retry.pause(after: attempt, random: ports.random)
            let now = ports.clock.now()
            // If the clock is set back, the total time must not grow; the number of attempts limits
            // it as well.
            guard now >= start, now + pause < deadline else { break }
            ports.sleep(pause)
            pending = failed
            attempt += 1
        }
        return outcomes.compactMap { $0 }
    }

    private func answers<Value>(
        _ requests: [HTTPRequest], credentials: CredentialsProvider?, before deadline: Instant,
        read: (HTTPResponse) -> Reading<Value>
    ) -> [Reading<Value>] {
        let signed: [HTTPRequest]
        do throws(AWSFailure) {
            signed = try sign(requests, credentials, before: deadline)
        } catch {
            return requests.map { _ in .failed(error, .hopeless) }
        }
        let outcomes =
            signed.count == 1
            ? [Result { () throws(HTTPFailure) in try ports.transport.send(signed[0]) }]
            : ports.transport.sendAll(signed)
        return outcomes.map { outcome in
            switch outcome {
            case .success(let response): read(response)
            case .failure(let failure): Self.reading(failure)
            }
        }
    }

    private static func reading<Value>(_ failure: HTTPFailure) -> Reading<Value> {
        switch failure {
        case .invalidURL:
            .failed(.unreachable(failure, mayHaveHappened: false), .hopeless)
        case .connectFailed:
            .failed(.unreachable(failure, mayHaveHappened: false), .harmless)
        case .timedOut, .interrupted:
            .failed(.unreachable(failure, mayHaveHappened: true), .doubtful)
        case .responseTooLarge:
            .failed(.malformedResponse, .hopeless)
        }
    }

    private func sign(
        _ requests: [HTTPRequest], _ credentials: CredentialsProvider?, before deadline: Instant
    ) throws(AWSFailure) -> [HTTPRequest] {
        let now = ports.clock.now()
        let remaining = Int(max(1, (deadline - now).milliseconds))
        var requests = requests
        for index in requests.indices {
            let limit = requests[index].limits.totalMillisecondsMax ?? remaining
            requests[index].limits.totalMillisecondsMax = min(limit, remaining)
        }
        guard let credentials else { return requests }
        let secrets: AWSCredentials
        do {
            secrets = try credentials.credentials()
        } catch {
            throw .credentials(error)
        }
        let signer = Signer(
            secrets, region: settings.region, service: name.signingName, keys: keys)
        do {
            for index in requests.indices {
                requests[index] = try signer.sign(requests[index], at: now)
            }
            return requests
        } catch {
            throw .unreachable(.invalidURL, mayHaveHappened: false)
        }
    }
}

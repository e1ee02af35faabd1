internal import AWSSignature
internal import HTTP
internal import Time

/// One service at one endpoint: signs, sends, tries again.
struct AWSService: Sendable {
    let name: AWSServiceName
    let settings: AWSSettings
    let ports: AWSPorts

    /// What reading one answer came to.
    enum Reading<Value> {
        case done(Value)
        case failed(AWSFailure, Retryability)
    }

    /// `credentials` is nil for a call that must not be signed.
    func perform<Value>(
        _ request: HTTPRequest, credentials: CredentialsProvider?, repeating: Repetition,
        read: (HTTPResponse) -> Reading<Value>
    ) throws(AWSFailure) -> Value {
        let start = ports.clock.now()
        let deadline = start + .milliseconds(ports.retry.totalMillisecondsMax)
        var attempt = 1
        while true {
            let reading = try answer(
                request, credentials: credentials, before: deadline, read: read)
            switch reading {
            case .done(let value):
                return value
            case .failed(let failure, let retry):
                let pause = ports.retry.pause(after: attempt, random: ports.random)
                let now = ports.clock.now()
                // A clock set back must not stretch the budget; the attempts bound it as well.
                guard attempt < ports.retry.attemptsMax, repeating.allows(retry), now >= start,
                    now + pause < deadline
                else { throw failure }
                ports.sleep(pause)
                attempt += 1
            }
        }
    }

    private func answer<Value>(
        _ request: HTTPRequest, credentials: CredentialsProvider?, before deadline: Instant,
        read: (HTTPResponse) -> Reading<Value>
    ) throws(AWSFailure) -> Reading<Value> {
        let signed = try sign(request, credentials, before: deadline)
        let response: HTTPResponse
        do {
            response = try ports.transport.send(signed)
        } catch {
            switch error {
            case .invalidURL:
                return .failed(.unreachable(error, mayHaveHappened: false), .hopeless)
            case .connectFailed:
                return .failed(.unreachable(error, mayHaveHappened: false), .harmless)
            case .timedOut, .interrupted:
                return .failed(.unreachable(error, mayHaveHappened: true), .doubtful)
            case .responseTooLarge:
                return .failed(.malformedResponse, .hopeless)
            }
        }
        return read(response)
    }

    private func sign(
        _ request: HTTPRequest, _ credentials: CredentialsProvider?, before deadline: Instant
    ) throws(AWSFailure) -> HTTPRequest {
        let now = ports.clock.now()
        let remaining = Int(max(1, (deadline - now).milliseconds))
        var request = request
        request.limits.totalMillisecondsMax = min(
            request.limits.totalMillisecondsMax ?? remaining, remaining)
        guard let credentials else { return request }
        let keys: AWSCredentials
        do {
            keys = try credentials.credentials()
        } catch {
            throw .credentials(error)
        }
        let signer = Signer(keys, region: settings.region, service: name.signingName)
        do {
            return try signer.sign(request, at: now)
        } catch {
            throw .unreachable(.invalidURL, mayHaveHappened: false)
        }
    }
}

/// A transport that returns scripted responses and records requests, with a clock that only
/// advances by sleeping.
final class FakeAWS: Sendable {
    typealias Answer = Result<HTTPResponse, HTTPFailure>

    private struct State {
        var answers: [Answer]
        var requests: [HTTPRequest] = []
        var sleeps: [Span] = []
        var now: Instant
    }

    private let state: Mutex<State>
    static let start = Instant(seconds: 1_735_787_045)  // 2025-01-02T03:04:05Z

    init(_ answers: [Answer]) { state = Mutex(State(answers: answers, now: Self.start)) }

    convenience init(_ answers: HTTPResponse...) { self.init(answers.map { .success($0) }) }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var sleeps: [Span] { state.withLock { $0.sleeps } }

    func advance(_ span: Span) { state.withLock { $0.now = $0.now + span } }

    func play(_ answers: HTTPResponse...) {
        state.withLock { $0.answers += answers.map { .success($0) } }
    }

    func play(_ failure: HTTPFailure) { state.withLock { $0.answers.append(.failure(failure)) } }

    func ports(retry: RetryPolicy = .standard) -> AWSPorts {
        AWSPorts(
            transport: HTTPTransport { request throws(HTTPFailure) in
                let answer = self.state.withLock { state -> Answer in
                    state.requests.append(request)
                    return state.answers.isEmpty
                        ? .failure(.connectFailed(detail: "no more answers"))
                        : state.answers.removeFirst()
                }
                return try answer.get()
            }, clock: WallClock { self.state.withLock { $0.now } }, random: .seeded(1),
            sleep: { span in
                self.state.withLock { state in
                    state.sleeps.append(span)
                    state.now = state.now + span
                }
            }, retry: retry)
    }
}

let testKeys = AWSCredentials(
    accessKeyID: "AKIDEXAMPLE", secretAccessKey: SecretBytes(utf8: "secret"),
    sessionToken: SecretBytes(utf8: "session"))

func settings(_ variables: [String: String] = ["AWS_REGION": "eu-west-1"]) throws -> AWSSettings {
    try AWSSettings { variables[$0] }
}

func header(_ name: String, of request: HTTPRequest) -> String? {
    request.headers.first { $0.name.lowercased() == name }?.value
}

func answer(_ status: Int, _ body: String, headers: [HTTPHeader] = []) -> HTTPResponse {
    HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
}

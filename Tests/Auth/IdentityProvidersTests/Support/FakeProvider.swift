import BaseTestSupport

/// A provider in memory: responds by URL, and records requests.
final class FakeProvider: Sendable {
    enum Answer: Sendable {
        case response(HTTPResponse)
        case failure(HTTPFailure)

        static func json(_ json: JSON, headers: [HTTPHeader] = []) -> Answer {
            .response(HTTPResponse(status: 200, headers: headers, body: json.serialized))
        }

        static func keys(_ keys: [TestKey], headers: [HTTPHeader] = []) -> Answer {
            json(TestKey.jwks(keys), headers: headers)
        }

        static func status(_ status: Int, body: String = "") -> Answer {
            .response(HTTPResponse(status: status, body: Array(body.utf8)))
        }

        static func text(_ text: String) -> Answer { status(200, body: text) }
    }

    private struct State {
        var answers: [String: Answer] = [:]
        var requests: [HTTPRequest] = []
        var during: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The response of a URL; others are unreachable.
    subscript(url: String) -> Answer? {
        get { state.withLock { $0.answers[url] } }
        set { state.withLock { $0.answers[url] = newValue } }
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var fetches: Int { requests.count }

    /// Runs once, during the next request.
    func during(next action: @escaping @Sendable () -> Void) {
        state.withLock { $0.during = action }
    }

    var transport: HTTPTransport {
        HTTPTransport { request throws(HTTPFailure) in
            let (answer, action) = self.state.withLock { state in
                state.requests.append(request)
                defer { state.during = nil }
                return (state.answers[request.url], state.during)
            }
            action?()
            switch answer {
            case .response(let response)?: return response
            case .failure(let failure)?: throw failure
            case nil: throw .connectFailed(detail: "no such host in this test")
            }
        }
    }
}

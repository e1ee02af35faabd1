import Testing

/// A network that answers what a test says, and keeps what was sent.
actor Wire: Transport {
    private var answers: [HTTPResponse]
    private(set) var requests: [HTTPRequest] = []

    /// - Parameter answers: status and JSON, in the order of the requests.
    init(_ answers: (Int, String)...) {
        self.answers = answers.map { HTTPResponse(status: $0.0, body: Data($0.1.utf8)) }
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        requests.append(request)
        guard !answers.isEmpty else { throw .notSent }
        return answers.removeFirst()
    }

    /// Method and path of a request.
    func line(_ index: Int) throws -> String {
        try #require(requests.indices.contains(index))
        let request = requests[index]
        return "\(request.method) \(request.url.path)\(request.url.query.map { "?\($0)" } ?? "")"
    }

    /// The body of a request, with its members in order.
    func body(_ index: Int) throws -> String {
        try #require(requests.indices.contains(index))
        let body = try #require(requests[index].body)
        let object = try JSONSerialization.jsonObject(with: body)
        return String(
            decoding: try JSONSerialization.data(
                withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes]),
            as: UTF8.self)
    }

    nonisolated func client(
        _ contract: ClientContract, store: any SessionStore = MemoryStore(),
        clock: ManualClock = ManualClock(), _ change: (inout Options) -> Void = { _ in }
    ) -> LatchkeyClient {
        var options = Options()
        change(&options)
        return LatchkeyClient(
            contract: contract, baseURL: FakeServer.url, store: store, transport: self,
            clock: clock, options: options)
    }
}

internal import Bytes
package import EmulatorBase
internal import HTTP
internal import JSON
internal import Synchronization
package import Time

/// A replacement for the app's own servers: receives the webhooks and sign-out notices that
/// functions send to `/_received/<name>`, and shows them.
///
///     POST   /_received/NAME                               204
///     GET    /_emulator/received ?name=&after=&limit=      newest first
///     GET    /_emulator/received/wait ?name=&after=&timeoutSeconds=
///     DELETE /_emulator/received                           all
///
/// `wait` returns the newest message, or with `after` the first one after that ID. If there is
/// none, it waits for the next, and returns 204 if none arrives: browsers repeat a request that is
/// answered with 408.
package final class Receiver: Sendable {
    package static let prefix = "/_received/"
    static let controlPrefix = "/_emulator/received"

    static let messagesMax = 100
    static let bodyBytesMax = 64 << 10
    private static let nameCharactersMax = 64
    private static let waitersMax = 32
    private static let waitSecondsMax: Int64 = 300
    private static let headersKept = [
        "content-type", "user-agent", "webhook-id", "webhook-timestamp", "webhook-signature",
    ]

    private let state = Mutex(State())
    private let after: @Sendable (_ delay: Span, _ action: @escaping @Sendable () -> Void) -> Void

    /// `after` calls back after the delay, on any thread.
    package init(
        after: @escaping @Sendable (Span, @escaping @Sendable () -> Void) -> Void
    ) {
        self.after = after
    }

    package static func serves(path: Substring) -> Bool { path.utf8.starts(with: prefix.utf8) }

    /// A request of a function.
    package func take(_ request: ServerRequest) -> ServerResponse {
        let name = request.path.dropFirst(Self.prefix.utf8.count)
        guard Self.isName(name) else {
            return .refusal(404, "Not found: a name is letters, digits and hyphens.")
        }
        guard request.method.utf8.elementsEqual("POST".utf8) else {
            var refusal = ServerResponse.refusal(405, "Method not allowed.")
            refusal.headers.append(HTTPHeader("Allow", "POST"))
            return refusal
        }
        guard request.body.count <= Self.bodyBytesMax else {
            return .refusal(413, "Request too large: at most \(Self.bodyBytesMax) bytes.")
        }
        let headers = Self.headersKept.compactMap { name in
            request.header(name).map { HTTPHeader(name, $0) }
        }
        let (message, waiters) = state.withLock { state in
            state.add(String(name), headers, request)
        }
        for waiter in waiters { waiter.answer(message) }
        return ServerResponse(status: 204)
    }

    /// A request to `/_emulator/received`.
    package func handle(_ request: ServerRequest, _ slot: ResponseSlot) {
        let query = ReceivedQuery(request)
        switch (request.method, request.path.dropFirst(Self.controlPrefix.utf8.count)) {
        case ("GET", ""):
            guard let limit = query.number("limit", in: 1...Int64(Self.messagesMax), else: 50),
                let filter = query.filter
            else { return refuse(slot) }
            slot.respond(list(filter, limit: Int(limit)))
        case ("GET", "/wait"):
            guard let filter = query.filter,
                let seconds = query.number(
                    "timeoutSeconds", in: 0...Self.waitSecondsMax, else: 30)
            else { return refuse(slot) }
            wait(filter, seconds: seconds, slot)
        case ("DELETE", ""):
            state.withLock { $0.messages = [] }
            slot.respond(ServerResponse(status: 204))
        default: slot.respond(.refusal(404, "Not found."))
        }
    }

    private func list(_ filter: ReceivedFilter, limit: Int) -> ServerResponse {
        let found = state.withLock { state in
            Array(state.messages.reversed().lazy.filter(filter.matches).prefix(limit))
        }
        return Self.json(["received": .array(found.map { .object($0.json) })])
    }

    private func wait(_ filter: ReceivedFilter, seconds: Int64, _ slot: ResponseSlot) {
        // Searches and registers under one lock, so that no message is missed.
        let outcome = state.withLock { state in
            state.wait(filter, max: Self.waitersMax) { slot.respond($0.response) }
        }
        switch outcome {
        case .found(let message): slot.respond(message.response)
        case .tooManyWaiters: slot.respond(.refusal(503, "Too many clients are waiting."))
        case .waiting(let id):
            slot.onClose { [self] in stopWaiting(id) }
            after(.seconds(seconds)) { [self] in
                guard stopWaiting(id) else { return }
                slot.respond(ServerResponse(status: 204))
            }
        }
    }

    /// Returns false if the request was already answered.
    @discardableResult
    private func stopWaiting(_ id: Int) -> Bool {
        state.withLock { $0.waiters.removeValue(forKey: id) != nil }
    }

    private func refuse(_ slot: ResponseSlot) {
        slot.respond(.refusal(400, "after, limit or timeoutSeconds is not a number in its range."))
    }

    private static func isName(_ name: Substring) -> Bool {
        (1...nameCharactersMax).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
    }

    fileprivate static func json(_ object: JSONObject) -> ServerResponse {
        ServerResponse(
            status: 200,
            headers: [
                HTTPHeader("Content-Type", "application/json"),
                HTTPHeader("Cache-Control", "no-store"),
                HTTPHeader("X-Content-Type-Options", "nosniff"),
            ], body: object.serialized)
    }
}

struct ReceivedMessage: Sendable {
    let id: Int64
    let name: String
    let receivedAt: Instant
    let headers: [HTTPHeader]
    let body: [UInt8]
    /// The sender's trace (https://www.w3.org/TR/trace-context/).
    let traceparent: String?

    /// The response with the trace of the gateway, for the playground.
    var response: ServerResponse {
        var response = Receiver.json(json)
        let parts = traceparent?.split(separator: "-") ?? []
        if parts.count > 1 {
            let root = "Root=1-\(parts[1].prefix(8))-\(parts[1].dropFirst(8))"
            response.headers.append(HTTPHeader("X-Amzn-Trace-Id", root))
        }
        return response
    }

    var json: JSONObject {
        [
            "id": .string("\(id)"), "name": .string(name),
            "receivedAt": .string(receivedAt.iso8601Milliseconds),
            "headers": .object(JSONObject(headers.map { ($0.name, .string($0.value)) })),
            "body": .string(String(decoding: body, as: UTF8.self)),
        ]
    }
}

struct ReceivedFilter: Sendable {
    var name: String?
    var after: Int64 = 0

    func matches(_ message: ReceivedMessage) -> Bool {
        message.id > after && (name.map { message.name.isSame(as: $0) } ?? true)
    }
}

private struct ReceivedQuery {
    private let fields: [(String, String)]

    init(_ request: ServerRequest) {
        fields = PercentEncoding.parseForm(String(request.query ?? ""), pairsMax: 8) ?? []
    }

    private subscript(name: String) -> String? {
        fields.first { $0.0.isSame(as: name) && !$0.1.isEmpty }?.1
    }

    /// nil if it is not a number in that range.
    func number(_ name: String, in range: ClosedRange<Int64>, else standard: Int64) -> Int64? {
        guard let text = self[name] else { return standard }
        return Int64(text).flatMap { range.contains($0) ? $0 : nil }
    }

    var filter: ReceivedFilter? {
        number("after", in: 0...Int64.max, else: 0).map {
            ReceivedFilter(name: self["name"], after: $0)
        }
    }
}

private struct State: Sendable {
    struct Waiter: Sendable {
        let filter: ReceivedFilter
        let answer: @Sendable (ReceivedMessage) -> Void
    }

    enum Outcome: Sendable {
        case found(ReceivedMessage)
        case waiting(Int)
        case tooManyWaiters
    }

    private var last: Int64 = 0
    private var lastWaiter = 0
    var messages: [ReceivedMessage] = []
    var waiters: [Int: Waiter] = [:]

    /// Adds a message. Returns it and the requests that wait for it.
    mutating func add(
        _ name: String, _ headers: [HTTPHeader], _ request: ServerRequest
    ) -> (ReceivedMessage, [Waiter]) {
        last += 1
        let message = ReceivedMessage(
            id: last, name: name, receivedAt: WallClock.system.now(), headers: headers,
            body: request.body, traceparent: request.header("traceparent"))
        messages.append(message)
        if messages.count > Receiver.messagesMax { messages.removeFirst() }
        let ids = waiters.filter { $0.value.filter.matches(message) }.map(\.key)
        return (message, ids.compactMap { waiters.removeValue(forKey: $0) })
    }

    mutating func wait(
        _ filter: ReceivedFilter, max: Int, answer: @escaping @Sendable (ReceivedMessage) -> Void
    ) -> Outcome {
        let found =
            filter.after > 0
            ? messages.first(where: filter.matches) : messages.last(where: filter.matches)
        if let found { return .found(found) }
        guard waiters.count < max else { return .tooManyWaiters }
        lastWaiter += 1
        waiters[lastWaiter] = Waiter(filter: filter, answer: answer)
        return .waiting(lastWaiter)
    }
}

internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorLambda
internal import HTTP
internal import JSON
internal import Synchronization

/// The followers of events, as server-sent events (HTML Living Standard, section 9.2).
///
/// One thread serves all followers while there are any. Recording a call wakes no thread; followers
/// see it a moment later.
final class EventStreams: Sendable {
    private struct Follower: Sendable {
        let stream: ResponseStream
        /// The number of the last event that was written.
        var last: Int
        /// The number of rounds since the last write.
        var quietRounds = 0
    }

    private struct State: Sendable {
        var followers: [Follower] = []
        var isServed = false
    }

    private let recorder: TraceRecorder
    private let state = Mutex(State())

    static let followersMax = 64
    private static let roundMilliseconds: UInt32 = 25
    private static let eventsPerRoundMax = 1000
    /// A comment every 15 s, so that both sides notice a closed connection.
    private static let quietRoundsMax = 15_000 / Int(roundMilliseconds)

    init(_ recorder: TraceRecorder) { self.recorder = recorder }

    /// Begins after `Last-Event-ID`, which a browser sends when it reconnects; after `number`; or
    /// with the next event.
    func open(_ request: ServerRequest, after number: Int?, _ slot: ResponseSlot) {
        let seen = request.header("last-event-id").flatMap { Int($0) } ?? number
        let last = seen ?? recorder.last
        let stream = ResponseStream()
        // The delay before a browser reconnects.
        stream.write(Array("retry: 1000\n\n".utf8))
        let isTaken = state.withLock { state in
            state.followers.removeAll { !$0.stream.isOpen }
            guard state.followers.count < Self.followersMax else { return false }
            state.followers.append(Follower(stream: stream, last: last))
            return true
        }
        guard isTaken else {
            return slot.respondAlways(.error(503, "Too many event streams are open."))
        }
        slot.respond(
            ServerResponse(
                status: 200,
                headers: [
                    HTTPHeader("Content-Type", "text/event-stream"),
                    HTTPHeader("Cache-Control", "no-store"),
                    HTTPHeader("X-Content-Type-Options", "nosniff"),
                ]), streaming: stream)
        serve()
    }

    private func serve() {
        let isFirst = state.withLock { state in
            defer { state.isServed = true }
            return !state.isServed
        }
        guard isFirst else { return }
        let isStarted = BackgroundThread.run { [weak self] in
            while self?.round() == true { ThreadSleep.milliseconds(Self.roundMilliseconds) }
        }
        if !isStarted { stop() }
    }

    /// Returns false when no follower is left.
    private func round() -> Bool {
        var followers = state.withLock { $0.followers }
        for index in followers.indices { write(to: &followers[index]) }
        let written = followers
        return state.withLock { state in
            for follower in written {
                let index = state.followers.firstIndex { $0.stream === follower.stream }
                if let index { state.followers[index] = follower }
            }
            state.followers.removeAll { !$0.stream.isOpen }
            state.isServed = !state.followers.isEmpty
            return state.isServed
        }
    }

    private func write(to follower: inout Follower) {
        let page = recorder.events(after: follower.last, max: Self.eventsPerRoundMax)
        follower.last = page.last
        follower.quietRounds += 1
        var text: [UInt8] = []
        if page.dropped > 0 {
            text += Array("event: dropped\ndata: {\"count\":\(page.dropped)}\n\n".utf8)
        }
        for event in page.events {
            text += Array("id: \(event.number)\nevent: \(event.kind)\ndata: ".utf8)
            text += event.json.serialized
            text += Array("\n\n".utf8)
        }
        if text.isEmpty, follower.quietRounds >= Self.quietRoundsMax {
            text = Array(": still here\n\n".utf8)
        }
        guard !text.isEmpty else { return }
        follower.quietRounds = 0
        follower.stream.write(text)
    }

    /// Ends every stream.
    func stop() {
        let followers = state.withLock { state in
            defer { state = State() }
            return state.followers
        }
        for follower in followers { follower.stream.end() }
    }
}

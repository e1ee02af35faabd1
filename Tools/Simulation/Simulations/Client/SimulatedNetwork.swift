import Foundation
import LatchkeyClient

/// Carries requests of one app to the functions, and loses, repeats and delays them.
final class SimulatedNetwork: Transport, @unchecked Sendable {
    typealias Serve = (WireRequest, Origin) -> WireAnswer?

    private typealias Outcome = Result<WireAnswer, TransportError>

    private let context: SimulationContext
    private let origin: Origin
    private let serve: Serve
    /// Receives the latest answers of all apps. Used by a planted bug.
    private let mixUp: MixUp

    init(_ context: SimulationContext, _ origin: Origin, mixUp: MixUp, serve: @escaping Serve) {
        self.context = context
        self.origin = origin
        self.mixUp = mixUp
        self.serve = serve
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        HTTPResponse(try await outcome(of: WireRequest(request), givesUp: false).get())
    }

    /// Sends a request of a browser or a program. The sender waits long enough for a late response.
    ///
    /// - Returns: nil if no answer arrives.
    func exchange(_ request: WireRequest) async -> WireAnswer? {
        try? await outcome(of: request, givesUp: true).get()
    }

    private func outcome(of wire: WireRequest, givesUp: Bool) async -> Outcome {
        let outcome: Outcome = await withCheckedContinuation { waiter in
            let end: (Outcome) -> Void = { waiter.resume(returning: $0) }
            if context.happens(.requestNotSent) { return arrive(.failure(.notSent), end) }
            let isLate = context.happens(.requestLate)
            context.scheduler.add(
                Scheduler.Event(
                    process: nil, isMessage: true,
                    happen: { [self] in deliver(wire, isLate: isLate, givesUp: givesUp, end) },
                    abandon: { end(.failure(.cancelled)) }), isLate: isLate)
        }
        return outcome
    }

    private func deliver(
        _ wire: WireRequest, isLate: Bool, givesUp: Bool, _ end: @escaping (Outcome) -> Void
    ) {
        // The client repeats a request that is late.
        var again = origin
        again.isRepetition = true
        if context.happens(.requestRepeated) {
            // A proxy has sent the same request again.
            context.scheduler.add(
                Scheduler.Event(
                    process: nil, isMessage: true,
                    happen: { [self, again] in _ = serve(wire, again) }, abandon: {}),
                isLate: context.happens(percent: 50))
        }
        guard let answer = serve(wire, isLate ? again : origin) else {
            return arrive(
                context.happens(percent: 50)
                    ? .failure(.lost) : .success(WireAnswer.badGateway), end)
        }
        switch context.first(of: [
            .answerLost, .answerHanging, .answerTruncated, .answerReplaced, .answerLate,
        ]) {
        case .answerLost: arrive(.failure(.lost), end)
        case .answerHanging where givesUp: arrive(.failure(.lost), end, isLate: true)
        case .answerHanging:
            context.scheduler.forget(
                Scheduler.Event(
                    process: nil, happen: {}, abandon: { end(.failure(.cancelled)) }))
        case .answerTruncated:
            var short = answer
            short.body = Array(answer.body.prefix(answer.body.count / 2))
            arrive(.success(short), end)
        case .answerReplaced: arrive(.success(WireAnswer.outage), end)
        case .answerLate: arrive(.success(answer), end, isLate: true)
        default: arrive(.success(mixUp.exchange(answer)), end)
        }
    }

    private func arrive(
        _ outcome: Outcome, _ end: @escaping (Outcome) -> Void, isLate: Bool = false
    ) {
        context.scheduler.add(
            Scheduler.Event(
                process: origin.process, happen: { end(outcome) },
                abandon: { end(.failure(.cancelled)) }),
            isLate: isLate)
    }
}

/// A planted bug: a proxy returns a response to the wrong client, like a cache that ignores the
/// sender.
final class MixUp {
    var isOn = false
    private var kept: WireAnswer?

    func exchange(_ answer: WireAnswer) -> WireAnswer {
        guard isOn, answer.status == 200 else { return answer }
        defer { kept = answer }
        return kept ?? answer
    }
}

extension WireRequest {
    init(_ request: HTTPRequest) {
        self.init(
            method: request.method, path: request.url.path, query: request.url.query ?? "",
            headers: request.headers.sorted { $0.key < $1.key }
                .map { (name: $0.key, value: $0.value) },
            body: request.body.map { Array($0) } ?? [])
    }
}

extension HTTPResponse {
    init(_ answer: WireAnswer) {
        self.init(
            status: answer.status,
            headers: Dictionary(
                answer.headers.map { ($0.name, $0.value) },
                uniquingKeysWith: { first, _ in first }),
            body: Data(answer.body))
    }
}

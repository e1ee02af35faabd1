internal import Bytes
internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorLambda
internal import HTTP
internal import JSON
internal import Time

/// One of the kept invocations:
///
///     GET  /_emulator/invocations/{requestId}   event, answer and log; `last` is the newest
///     POST /_emulator/invocations/{requestId}   runs the function again with the same event
struct InvocationAPI: Sendable {
    static let place = "invocations"

    let services: EmulatorServices

    func handle(_ request: ServerRequest, _ id: String, _ slot: ResponseSlot) {
        let past = services.pastInvocations
        guard let invocation = past.find(id) else {
            return slot.respondAlways(
                .error(
                    404,
                    "Invocation not found: \(id). \(past.count) are kept: "
                        + "/_emulator/invocations."))
        }
        switch request.method {
        case "GET": slot.respondAlways(.json(invocation.json(hasBodies: true)))
        case "POST": replay(invocation, slot)
        default: slot.respondAlways(.error(405, "Method not allowed: GET or POST."))
        }
    }

    /// The replay has its own trace.
    private func replay(_ invocation: InvocationRecord, _ slot: ResponseSlot) {
        guard !invocation.isCut else {
            return slot.respondAlways(
                .error(409, "Not replayed: the event is too large, and is not kept whole."))
        }
        let trace = services.traces.newTrace(at: WallClock.system.now())
        services.functions.invoke(
            invocation.function,
            InvocationRequest(payload: invocation.payload, traceID: "Root=\(trace)")
        ) { result in
            var answer: JSONObject = [
                "function": .string(invocation.function), "traceId": .string("\(trace)"),
                "requestId": .string(result.requestID),
            ]
            switch result.outcome {
            case .answered(let bytes):
                answer["status"] = "answered"
                answer["answer"] = .string(String(decoding: bytes, as: UTF8.self))
            case .failed(let error):
                answer["status"] = "failed"
                answer["answer"] = .string(String(decoding: error, as: UTF8.self))
            case .throttled(let reason): return slot.respondAlways(.error(429, reason))
            case .unknownFunction:
                return slot.respondAlways(
                    .error(404, "Function not found: \(invocation.function)."))
            }
            slot.respondAlways(.json(.object(answer)))
        }
    }
}

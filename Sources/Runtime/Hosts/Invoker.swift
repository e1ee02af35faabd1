internal import Bytes
internal import JSON

/// Decodes one event, calls the handler and encodes its reply, for all hosts except the watchdog.
struct Invoker: Sendable {
    let handler: Handler
    let decoder: EventDecoder
    let log: Log

    func answer(
        _ event: [UInt8], in context: InvocationContext
    ) throws(FunctionError) -> [UInt8] {
        switch handler.kind {
        case .request(let respond):
            let request: Request
            let form: ReplyForm
            do throws(EventFailure) {
                (request, form) = try decoder.decode(event, in: context)
            } catch {
                guard error == .authorizerEvent, let authorize = handler.authorize else {
                    throw refusal(error, in: context)
                }
                return try authorize(try parsed(event, in: context), context).serialized
            }
            RequestScope.current.requestID = request.requestID
            return ReplyEncoder.encode(respond(request), as: form)
        case .event(let respond):
            return try respond(try parsed(event, in: context), context).serialized
        }
    }

    private func parsed(
        _ event: [UInt8], in context: InvocationContext
    ) throws(FunctionError) -> JSON {
        do {
            return try EventDecoder.event(event)
        } catch {
            throw refusal(error, in: context)
        }
    }

    private func refusal(_ failure: EventFailure, in context: InvocationContext) -> FunctionError {
        log.with(requestID: context.requestID).error(
            .eventRefused, ["detail": .failureDetail(failure.message)])
        return FunctionError(type: "Function.MalformedEvent", message: failure.message)
    }
}

extension FunctionError {
    /// The body as it is written to stdout.
    var oneShotBody: [UInt8] {
        let body: JSON = ["errorType": .string(type), "errorMessage": .string(message)]
        return body.serialized
    }

    /// The body as it is sent to the Runtime API.
    var runtimeBody: [UInt8] {
        let body: JSON = [
            "errorMessage": .string(message), "errorType": .string(type), "stackTrace": [],
        ]
        return body.serialized
    }

    /// The error type for the platform's metrics, which only accept `Runtime.Xyz` and
    /// `Function.Xyz`.
    var platformType: String {
        let parts = type.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, let first = parts[1].first, first.isUppercase,
            parts[0].elementsEqual("Runtime".utf8) || parts[0].elementsEqual("Function".utf8),
            parts[1].count >= 2, parts[1].allSatisfy(\.isLetter)
        else { return "Function.Unknown" }
        return type
    }

    init(_ failure: StartFailure) {
        self.init(
            type: "Runtime.ConfigInvalid", message: failure.problems.joined(separator: "; "))
    }
}

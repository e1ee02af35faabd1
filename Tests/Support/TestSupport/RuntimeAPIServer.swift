internal import Foundation
package import HTTP

/// A server of the Lambda Runtime API (2018-06-01) with given events.
///
/// `next` blocks until there is an event, as on AWS; `stop` ends the wait.
package final class RuntimeAPIServer: @unchecked Sendable {
    // Unchecked Sendable: all stored variables are only accessed while `condition` is locked.
    private let condition = NSCondition()
    private var waiting: [RuntimeAPIEvent]
    private var current: String?
    private var isStopped = false
    private var posted: [RuntimeAPIPost] = []
    private var transport: LoopbackServer?

    /// The limit of a response: 6 MiB and a little.
    package static let responseBytesMax = (6 << 20) + 100

    /// Without sockets it only responds through `answer`.
    package init(events: [RuntimeAPIEvent] = [], hasSockets: Bool = true) throws {
        waiting = events
        guard hasSockets else { return }
        transport = try LoopbackServer(replying: { [weak self] in
            self?.answer($0) ?? .hangUp
        })
    }

    /// The value of `AWS_LAMBDA_RUNTIME_API`: `127.0.0.1:PORT`.
    package var authority: String { transport?.authority ?? "" }

    package func enqueue(_ event: RuntimeAPIEvent) {
        condition.withLock {
            waiting.append(event)
            condition.broadcast()
        }
    }

    /// The function's responses so far.
    package var posts: [RuntimeAPIPost] { condition.withLock { posted } }

    /// The number of requests, including `next`.
    package var requestsSeen: Int { transport?.requests.count ?? 0 }

    package func stop() {
        condition.withLock {
            isStopped = true
            condition.broadcast()
        }
        transport?.stop()
    }

    /// The response to one request; also used by an in-memory transport.
    package func answer(_ request: HTTPRequestSeen) -> LoopbackReply {
        let parts = request.path.split(separator: "/").map(String.init)
        guard parts.count >= 4, parts[0] == "2018-06-01", parts[1] == "runtime" else {
            return .response(HTTPResponse(status: 404))
        }
        switch (request.method, parts[2], parts[3], parts.count) {
        case ("GET", "invocation", "next", 4): return next()
        case ("POST", "init", "error", 4):
            return .response(accept(.initError, id: nil, request))
        case ("POST", "invocation", let id, 5) where parts[4] == "response":
            return .response(accept(.response, id: id, request))
        case ("POST", "invocation", let id, 5) where parts[4] == "error":
            return .response(accept(.error, id: id, request))
        default: return .response(HTTPResponse(status: 404))
        }
    }

    private func next() -> LoopbackReply {
        condition.withLock {
            while waiting.isEmpty, !isStopped { condition.wait() }
            guard !isStopped else { return .hangUp }
            let event = waiting.removeFirst()
            current = event.requestID
            return .response(event.response)
        }
    }

    private func accept(
        _ kind: RuntimeAPIPost.Kind, id: String?, _ request: HTTPRequestSeen
    ) -> HTTPResponse {
        condition.withLock {
            if kind != .initError, id != current {
                return Self.refusal(400, "InvalidRequestID", "Invalid request ID")
            }
            guard request.body.count <= Self.responseBytesMax else {
                return Self.refusal(
                    413, "RequestEntityTooLarge",
                    "Exceeded maximum allowed payload size (\(Self.responseBytesMax) bytes).")
            }
            current = nil
            posted.append(RuntimeAPIPost(kind: kind, requestID: id, request: request))
            condition.broadcast()
            return HTTPResponse(status: 202, body: Array(#"{"status":"OK"}"#.utf8))
        }
    }

    private static func refusal(_ status: Int, _ type: String, _ message: String) -> HTTPResponse {
        let body = #"{"errorMessage":"\#(message)","errorType":"\#(type)"}"#
        return HTTPResponse(status: status, body: Array(body.utf8))
    }
}

/// An event with the headers of `next`.
package struct RuntimeAPIEvent: Sendable {
    package let requestID: String
    package let body: [UInt8]
    /// The response of `next`, which tests can make invalid.
    package var response: HTTPResponse

    package init(
        requestID: String, body: [UInt8], deadlineMilliseconds: Int64 = 4_102_444_800_000,
        traceID: String = "Root=1-67a5f0e1-0123456789abcdef01234567;Sampled=0"
    ) {
        self.requestID = requestID
        self.body = body
        response = HTTPResponse(
            status: 200,
            headers: [
                HTTPHeader("content-type", "application/json"),
                HTTPHeader("lambda-runtime-aws-request-id", requestID),
                HTTPHeader("lambda-runtime-deadline-ms", String(deadlineMilliseconds)),
                HTTPHeader(
                    "lambda-runtime-invoked-function-arn",
                    "arn:aws:lambda:us-east-1:123456789012:function:signin"),
                HTTPHeader("lambda-runtime-trace-id", traceID),
            ], body: body)
    }
}

/// A response or error that a function has posted.
package struct RuntimeAPIPost: Sendable {
    package enum Kind: Sendable { case response, error, initError }

    package let kind: Kind
    package let requestID: String?
    package let request: HTTPRequestSeen
}

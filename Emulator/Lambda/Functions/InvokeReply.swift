internal import Bytes
internal import EmulatorBase
internal import HTTP

/// Maps an invocation's result to the response of Invoke.
enum InvokeReply {
    static func response(_ result: InvocationResult) -> ServerResponse {
        switch result.outcome {
        case .answered(let body):
            success(result, body.isEmpty ? Array("null".utf8) : body, error: nil)
        case .failed(let body): success(result, body, error: "Unhandled")
        case .throttled(let reason):
            LambdaError.throttled(reason: reason).response(result.requestID)
        case .unknownFunction: LambdaError.notFound("").response(result.requestID)
        }
    }

    private static func success(
        _ result: InvocationResult, _ body: [UInt8], error: String?
    ) -> ServerResponse {
        var headers = [
            HTTPHeader("Content-Type", "application/json"),
            HTTPHeader("x-amzn-RequestId", result.requestID),
            HTTPHeader("X-Amz-Executed-Version", "$LATEST"),
        ]
        if let error { headers.append(HTTPHeader("X-Amz-Function-Error", error)) }
        if !result.logTail.isEmpty {
            headers.append(HTTPHeader("X-Amz-Log-Result", Base64.encode(result.logTail)))
        }
        return ServerResponse(status: 200, headers: headers, body: body)
    }
}

internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import JSON

/// Reports the failure of a streamed response in trailers.
enum StreamFailure {
    static func body(_ request: ServerRequest) -> [UInt8]? {
        guard let type = trailer(request, "lambda-runtime-function-error-type") else { return nil }
        if let text = trailer(request, "lambda-runtime-function-error-body"),
            let body = Base64.decode(text)
        {
            return body
        }
        let object: JSON = ["errorType": .string(type), "errorMessage": "Response stream failed"]
        return object.serialized
    }

    private static func trailer(_ request: ServerRequest, _ name: String) -> String? {
        request.trailers.value(name)
    }
}

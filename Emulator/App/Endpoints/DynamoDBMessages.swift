internal import Bytes
internal import EmulatorBase
internal import EmulatorDynamoDB
internal import HTTP

extension DynamoDBRequest {
    /// The request with its body decompressed.
    init(_ request: ServerRequest) {
        self.init(
            method: request.method, target: request.header("x-amz-target"),
            contentType: request.header("content-type"), body: request.body)
        // The headers are searched once, through a span, which does not copy them.
        let headers = request.headers.span
        for index in headers.indices {
            switch headers[index].name.utf8.count {
            case 4 where headers[index].isNamed("host"): host = headers[index].value
            case 6 where headers[index].isNamed("origin"): coding.origin = headers[index].value
            case 15 where headers[index].isNamed("accept-encoding"):
                coding.acceptEncoding = coding.acceptEncoding ?? headers[index].value
            case 16 where headers[index].isNamed("content-encoding"):
                coding.contentEncoding = headers[index].value
            default: break
            }
        }
        if method == "OPTIONS" {
            coding.requestedMethod = request.header("access-control-request-method")
            coding.requestedHeaders = request.header("access-control-request-headers")
        }
        if coding.contentEncoding != nil { decode() }
    }

    /// A request to `/` without an operation or another service: `GET` is DynamoDB's health check,
    /// `OPTIONS` the preflight of a page that calls it.
    static func isWithoutOperation(_ request: ServerRequest) -> Bool {
        guard request.target.isSame(as: "/"), request.header("authorization") == nil else {
            return false
        }
        switch request.method {
        case "GET", "OPTIONS": return true
        case "POST":
            let type = request.header("content-type") ?? ""
            return !type.hasPrefix("application/x-www-form-urlencoded")
                && !type.hasPrefix("multipart/form-data")
        default: return false
        }
    }
}

internal import Bytes
internal import HTTP
internal import XML

/// The response of an operation.
struct S3Response: Sendable {
    var status = 200
    var headers: [HTTPHeader] = []
    var body: [UInt8] = []
    /// The length of the omitted body in a response to `HEAD`.
    var contentLength: Int?

    static let namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

    init(status: Int = 200, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    init(document root: String, headers: [HTTPHeader] = [], _ body: (inout XMLWriter) -> Void) {
        var xml = XMLWriter()
        xml.element(root, namespace: Self.namespace, body)
        self.headers = headers + [HTTPHeader("content-type", "application/xml")]
        self.body = xml.bytes
    }

    func response(requestID: String) -> HTTPResponse {
        let length = contentLength.map { [HTTPHeader("content-length", String($0))] } ?? []
        return HTTPResponse(
            status: status, headers: S3Response.common(requestID) + headers + length, body: body)
    }

    static func common(_ requestID: String) -> [HTTPHeader] {
        [
            HTTPHeader("x-amz-request-id", requestID),
            HTTPHeader("x-amz-id-2", hostID), HTTPHeader("server", "AmazonS3"),
        ]
    }

    static let hostID = "bGF0Y2hrZXktZW11bGF0b3I="
}

extension S3Failure {
    func response(to call: ServiceCall, requestID: String) -> HTTPResponse {
        var xml = XMLWriter()
        xml.element("Error") { xml in
            xml.element("Code", code)
            xml.element("Message", message)
            for detail in details { xml.element(detail.name, detail.text) }
            xml.element("RequestId", requestID)
            xml.element("HostId", S3Response.hostID)
        }
        var headers = S3Response.common(requestID)
        // Responses to HEAD have no body, only the status.
        let isHead = call.method == "HEAD"
        let hasBody = !isHead && status != 304
        if hasBody { headers.append(HTTPHeader("content-type", "application/xml")) }
        return HTTPResponse(
            status: status, headers: headers, body: hasBody ? xml.bytes : [])
    }
}

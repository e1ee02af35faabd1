internal import Bytes
internal import HTTP
package import HTTPServer

/// A request that this process has received itself, without a gateway.
package enum ServedRequest {
    /// Decodes only the method and the path, so that only slow requests are decoded twice.
    static func target(of received: ReceivedRequest, basePath: String) -> Request {
        var request = Request(method: received.method, requestID: "")
        request.setPath(encoded: received.path)
        request.stripPrefix(basePath)
        return request
    }

    package static func decode(
        _ received: ReceivedRequest, basePath: String, requestID: String
    ) -> Request {
        // HEAD is treated as GET, and the server leaves out the body (RFC 9110 section 9.3.2).
        let isHead = received.method.isSame(as: "HEAD")
        var request = Request(
            method: isHead ? "GET" : received.method, sourceAddress: received.peer,
            requestID: requestID)
        request.isServedDirectly = true
        request.setPath(encoded: received.path)
        request.stripPrefix(basePath)
        request.setQuery(encoded: received.query)
        for header in received.headers {
            guard request.addHeader(header.name, header.value) else { break }
        }
        request.userAgent = request.header("user-agent")
        request.refusedForSeconds = received.refusedForSeconds
        // of-watchdog and most proxies add a request ID.
        request.requestID =
            RequestID.legal(request.header("x-call-id") ?? request.header("x-request-id"))
            ?? requestID
        if received.isBodyTooLarge {
            request.refuse(.bodyTooLarge)
        } else {
            request.body = received.body
        }
        return request
    }
}

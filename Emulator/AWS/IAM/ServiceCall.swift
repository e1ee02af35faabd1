package import AWSSignature
internal import Bytes
package import HTTP

/// A request to an AWS service. Its response is an `HTTPResponse`.
package struct ServiceCall: Sendable {
    package let method: String
    /// The path, percent-encoded.
    package let path: String
    /// The query, percent-encoded, without `?`.
    package let query: String
    /// The headers in order, with their names as sent.
    package let headers: [HTTPHeader]
    package let body: [UInt8]
    /// The client's IP address, for conditions on `aws:SourceIp`.
    package let sourceAddress: String
    package let isSecure: Bool

    /// `target` is the path and the query of the request line, unchanged.
    package init(
        method: String, target: String, headers: [HTTPHeader], body: [UInt8],
        sourceAddress: String, isSecure: Bool = false
    ) {
        self.method = method
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        path = String(target[..<(mark ?? target.endIndex)])
        query = mark.map { String(target[target.utf8.index(after: $0)...]) } ?? ""
        self.headers = headers
        self.body = body
        self.sourceAddress = sourceAddress
        self.isSecure = isSecure
    }

    /// The first header of that name; `name` is in lower case.
    package func header(_ name: String) -> String? {
        headers.value(name)
    }

    package var signable: SignableRequest {
        SignableRequest(method: method, path: path, query: query, headers: headers)
    }
}

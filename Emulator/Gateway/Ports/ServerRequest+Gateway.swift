internal import EmulatorBase
internal import HTTP

extension ServerRequest {
    var protocolVersion: String { "HTTP/1.1" }

    /// The size that a gateway limits: the request line and the headers, with their separators.
    var headBytes: Int {
        headers.reduce(method.utf8.count + target.utf8.count + protocolVersion.utf8.count + 4) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 4
        }
    }
}

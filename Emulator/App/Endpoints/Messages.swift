internal import EmulatorAWS
internal import EmulatorBase
internal import HTTP
internal import JSON

extension ServiceCall {
    init(_ request: ServerRequest) {
        self.init(
            method: request.method, target: request.target, headers: request.headers,
            body: request.body, sourceAddress: request.peer.hostText, isSecure: request.isSecure)
    }
}

extension ServerResponse {
    static func json(_ body: JSON, status: Int = 200) -> ServerResponse {
        ServerResponse(
            status: status,
            headers: [
                HTTPHeader("Content-Type", "application/json"),
                HTTPHeader("Cache-Control", "no-store"),
            ],
            body: body.serialized + [UInt8(ascii: "\n")])
    }

    static func error(_ status: Int, _ message: String) -> ServerResponse {
        json(["message": .string(message)], status: status)
    }
}

internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import JSON

/// Turns a function's result into the response of an HTTP API or a Function URL (API Gateway
/// Developer Guide, "Create AWS Lambda proxy integrations for HTTP APIs").
enum IntegrationResponseV2 {
    static func response(
        _ payload: [UInt8], defaultType: String, options: GatewayOptions
    ) throws(MalformedIntegrationResponse) -> ServerResponse {
        let reply = try IntegrationResponseReader.json(payload)
        guard let object = reply.objectValue, let status = object["statusCode"] else {
            return inferred(reply)
        }
        var headers: [HTTPHeader] = []
        for cookie in try cookies(object["cookies"]) {
            try IntegrationResponseReader.append("set-cookie", cookie, to: &headers)
        }
        headers += try IntegrationResponseReader.headers(object["headers"])
        if !headers.contains(where: { $0.name.equalsIgnoringCase("content-type") }) {
            headers.append(HTTPHeader("content-type", defaultType))
        }
        let text = try IntegrationResponseReader.text(object["body"])
        return ServerResponse(
            status: try IntegrationResponseReader.status(
                status, takesText: options.v2TakesStatusText),
            headers: headers,
            body: try IntegrationResponseReader.flag(object["isBase64Encoded"])
                ? IntegrationResponseReader.base64(text) : Array(text.utf8))
    }

    /// Any other JSON is the body of a 200 response; a string is used as its text.
    private static func inferred(_ reply: JSON) -> ServerResponse {
        ServerResponse(
            status: 200, headers: [HTTPHeader("content-type", "application/json")],
            body: reply.stringValue.map { Array($0.utf8) } ?? reply.serialized)
    }

    private static func cookies(_ value: JSON?) throws(MalformedIntegrationResponse) -> [String] {
        guard let value, !value.isNull else { return [] }
        guard let list = value.arrayValue else { throw MalformedIntegrationResponse() }
        let cookies = list.compactMap(\.stringValue)
        guard cookies.count == list.count else { throw MalformedIntegrationResponse() }
        return cookies
    }
}

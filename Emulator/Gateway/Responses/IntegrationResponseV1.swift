internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import JSON

/// Turns a result of payload 1.0 into a response (API Gateway Developer Guide, "Lambda proxy
/// integrations"). A REST API rejects unknown keys; an HTTP API ignores them.
enum IntegrationResponseV1 {
    private static let keys = [
        "statusCode", "headers", "multiValueHeaders", "body", "isBase64Encoded",
    ]

    /// `decodes` decides whether base64 is decoded: it depends on a REST API's binary types.
    static func response(
        _ payload: [UInt8], isStrict: Bool, options: GatewayOptions,
        decodes: ([HTTPHeader]) -> Bool
    ) throws(MalformedIntegrationResponse) -> ServerResponse {
        guard let object = try IntegrationResponseReader.json(payload).objectValue, !object.isEmpty
        else {
            throw MalformedIntegrationResponse()
        }
        if isStrict, !object.members.allSatisfy({ keys.containsText($0.name) }) {
            throw MalformedIntegrationResponse()
        }
        var status = 200
        if let value = object["statusCode"], !value.isNull {
            status = try IntegrationResponseReader.status(value, takesText: true)
        } else if !isStrict {
            throw MalformedIntegrationResponse()
        }
        var headers = try merged(object)
        if !headers.contains(where: { $0.name.equalsIgnoringCase("content-type") }) {
            headers.append(
                HTTPHeader(
                    "Content-Type",
                    isStrict ? "application/json" : IntegrationResponseReader.httpAPIType))
        }
        let text = try IntegrationResponseReader.text(object["body"])
        let isBase64 = try IntegrationResponseReader.flag(object["isBase64Encoded"])
        let body =
            isBase64 && decodes(headers)
            ? try IntegrationResponseReader.base64(text) : Array(text.utf8)
        return ServerResponse(
            status: status,
            headers: isStrict && options.restRemapsHeaders ? remapped(headers) : headers,
            body: body)
    }

    /// Merges both maps. A name in both has the spelling and position of the multi-value map, whose
    /// values come first.
    private static func merged(_ object: JSONObject) throws(MalformedIntegrationResponse)
        -> [HTTPHeader]
    {
        let single = try IntegrationResponseReader.headers(object["headers"])
        var headers: [HTTPHeader] = []
        var taken: Set<TextKey> = []
        if let lists = object["multiValueHeaders"], !lists.isNull {
            guard let lists = lists.objectValue else { throw MalformedIntegrationResponse() }
            for (name, value) in lists.members {
                guard let values = value.arrayValue else { throw MalformedIntegrationResponse() }
                for value in values {
                    guard let text = value.scalarText else { throw MalformedIntegrationResponse() }
                    try IntegrationResponseReader.append(name, text, to: &headers)
                }
                taken.insert(TextKey(name.asciiLowercased))
                for header in single where header.name.equalsIgnoringCase(name) {
                    headers.append(HTTPHeader(name, header.value))
                }
            }
        }
        return headers
            + single.filter { !taken.contains(TextKey($0.name.asciiLowercased)) }
    }

    /// Header names that a REST API reserves.
    private static let reserved = [
        "authorization", "content-md5", "date", "host", "server", "user-agent", "www-authenticate",
    ]

    private static func remapped(_ headers: [HTTPHeader]) -> [HTTPHeader] {
        headers.map { header in
            guard reserved.contains(where: { $0.equalsIgnoringCase(header.name) }) else {
                return header
            }
            return HTTPHeader("x-amzn-Remapped-\(header.name)", header.value)
        }
    }
}

internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import JSON

/// A function's result that is not a valid response: the gateway responds with an error.
struct MalformedIntegrationResponse: Error, Equatable {}

/// Parses the parts of a response that all gateways treat in the same way.
enum IntegrationResponseReader {
    static let limits = JSONLimits(bytesMax: 8 << 20, depthMax: 256)

    /// The default content type of an HTTP API, for a response that has a `statusCode`.
    static let httpAPIType = "text/plain; charset=utf-8"

    static func json(_ payload: [UInt8]) throws(MalformedIntegrationResponse) -> JSON {
        guard let json = try? JSON.parse(payload, limits: limits) else {
            throw MalformedIntegrationResponse()
        }
        return json
    }

    /// A final HTTP status as an integer or, with `takesText`, as a string of digits.
    static func status(_ value: JSON, takesText: Bool) throws(MalformedIntegrationResponse) -> Int {
        let number =
            value.int64Value
            ?? (takesText ? value.stringValue.flatMap { Int64($0) } : nil)
        guard let number, (200...599).contains(number) else { throw MalformedIntegrationResponse() }
        return Int(number)
    }

    /// A map of scalars; null counts as an empty map, and null values are omitted.
    static func headers(_ value: JSON?) throws(MalformedIntegrationResponse) -> [HTTPHeader] {
        guard let value, !value.isNull else { return [] }
        guard let object = value.objectValue else { throw MalformedIntegrationResponse() }
        var headers: [HTTPHeader] = []
        for member in object.members where !member.value.isNull {
            guard let text = member.value.scalarText else { throw MalformedIntegrationResponse() }
            try append(member.name, text, to: &headers)
        }
        return headers
    }

    static func append(
        _ name: String, _ value: String, to headers: inout [HTTPHeader]
    ) throws(MalformedIntegrationResponse) {
        guard name.isHTTPToken, value.isHTTPFieldValue else {
            throw MalformedIntegrationResponse()
        }
        guard !isFraming(name) else { return }
        headers.append(HTTPHeader(name, value))
    }

    /// Whether the header is a framing header, which only the server sets.
    private static func isFraming(_ name: String) -> Bool {
        ForwardedHeaders.isHopByHop(name) || name.equalsIgnoringCase("content-length")
    }

    static func text(_ value: JSON?) throws(MalformedIntegrationResponse) -> String {
        guard let value, !value.isNull else { return "" }
        guard let text = value.stringValue else { throw MalformedIntegrationResponse() }
        return text
    }

    static func flag(_ value: JSON?) throws(MalformedIntegrationResponse) -> Bool {
        guard let value, !value.isNull else { return false }
        guard let flag = value.boolValue else { throw MalformedIntegrationResponse() }
        return flag
    }

    static func base64(_ text: String) throws(MalformedIntegrationResponse) -> [UInt8] {
        guard let bytes = Base64.decode(text) else { throw MalformedIntegrationResponse() }
        return bytes
    }
}

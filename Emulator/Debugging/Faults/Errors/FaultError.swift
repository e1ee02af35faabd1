package import EmulatorBase
internal import HTTP
internal import JSON
internal import XML

/// An error response of a service or the gateway, in that service's format.
package struct FaultError: Sendable {
    package let name: String
    package let status: Int
    package let message: String

    init(_ name: String, _ status: Int, _ message: String) {
        self.name = name
        self.status = status
        self.message = message
    }

    /// Marks a response as made by a fault.
    package static let header = "X-Emulator-Fault"

    package func response(
        _ service: FaultService, isHead: Bool = false, isQuery: Bool = false
    ) -> ServerResponse {
        var headers = [HTTPHeader(Self.header, name)]
        let body: [UInt8]
        switch service {
        case .dynamodb, .secrets:
            let version = service == .dynamodb ? "1.0" : "1.1"
            headers.append(HTTPHeader("Content-Type", "application/x-amz-json-\(version)"))
            let json: JSON = ["__type": .string(type(service)), "message": .string(message)]
            body = json.serialized
        case .sts,
            .ses where isQuery:
            headers.append(HTTPHeader("Content-Type", "text/xml"))
            var xml = XMLWriter(declaration: false)
            let namespace =
                service == .sts
                ? "https://sts.amazonaws.com/doc/2011-06-15/"
                : "http://ses.amazonaws.com/doc/2010-12-01/"
            xml.element("ErrorResponse", namespace: namespace) {
                $0.element("Error") { xml in
                    xml.element("Type", status < 500 ? "Sender" : "Receiver")
                    xml.element("Code", name)
                    xml.element("Message", message)
                }
                $0.element("RequestId", Self.requestID)
            }
            body = xml.bytes
        case .s3:
            headers.append(HTTPHeader("Content-Type", "application/xml"))
            var xml = XMLWriter()
            xml.element("Error") { xml in
                xml.element("Code", name)
                xml.element("Message", message)
                xml.element("RequestId", Self.requestID)
            }
            body = xml.bytes
        case .ses:
            headers.append(HTTPHeader("Content-Type", "application/json"))
            headers.append(HTTPHeader("x-amzn-ErrorType", name))
            body = (["message": .string(message)] as JSON).serialized
        case .route, .function, .receiver:
            headers.append(HTTPHeader("Content-Type", "application/json"))
            body = (["message": .string(message)] as JSON).serialized
        case .provider:
            headers.append(HTTPHeader("Content-Type", "application/json"))
            if status == 429 { headers.append(HTTPHeader("Retry-After", "1")) }
            let json: JSON = ["error": .string(name), "error_description": .string(message)]
            body = json.serialized
        }
        return ServerResponse(status: status, headers: headers, body: isHead ? [] : body)
    }

    private static let requestID = "00000000-0000-4000-8000-000000000000"

    private func type(_ service: FaultService) -> String {
        guard service == .dynamodb else { return name }
        switch name {
        case "ThrottlingException": return "com.amazon.coral.availability#ThrottlingException"
        case "AccessDeniedException", "ExpiredTokenException", "UnrecognizedClientException":
            return "com.amazon.coral.service#\(name)"
        default: return "com.amazonaws.dynamodb.v20120810#\(name)"
        }
    }
}

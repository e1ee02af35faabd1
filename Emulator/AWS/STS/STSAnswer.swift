internal import AWSSignature
internal import Bytes
internal import HTTP
internal import Time
internal import XML

/// The result of an operation as ordered XML elements.
struct STSAnswer {
    enum Element {
        case text(String, String)
        case group(String, [Element])
    }

    let operation: STSOperation
    let elements: [Element]

    static let namespace = "https://sts.amazonaws.com/doc/2011-06-15/"

    func response(requestID: String) -> HTTPResponse {
        var xml = XMLWriter(declaration: false)
        xml.element("\(operation.rawValue)Response", namespace: Self.namespace) { xml in
            xml.element("\(operation.rawValue)Result") { Self.write(elements, to: &$0) }
            xml.element("ResponseMetadata") { $0.element("RequestId", requestID) }
        }
        return HTTPResponse(status: 200, headers: Self.headers(requestID), body: xml.bytes)
    }

    private static func write(_ elements: [Element], to xml: inout XMLWriter) {
        for element in elements {
            switch element {
            case .text(let name, let text): xml.element(name, text)
            case .group(let name, let elements): xml.element(name) { write(elements, to: &$0) }
            }
        }
    }

    static func headers(_ requestID: String) -> [HTTPHeader] {
        [HTTPHeader("x-amzn-requestid", requestID), HTTPHeader("content-type", "text/xml")]
    }
}

extension STSAnswer.Element {
    static func credentials(_ credentials: AWSCredentials) -> STSAnswer.Element {
        func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }
        return .group(
            "Credentials",
            [
                .text("AccessKeyId", credentials.accessKeyID),
                .text("SecretAccessKey", text(credentials.secretAccessKey.reveal())),
                .text("SessionToken", text(credentials.sessionToken?.reveal())),
                .text("Expiration", credentials.expiresAt?.iso8601Seconds ?? ""),
            ])
    }
}

extension STSError {
    func response(requestID: String) -> HTTPResponse {
        var xml = XMLWriter(declaration: false)
        xml.element("ErrorResponse", namespace: STSAnswer.namespace) { xml in
            xml.element("Error") { xml in
                xml.element("Type", status >= 500 ? "Receiver" : "Sender")
                xml.element("Code", code)
                xml.element("Message", message)
            }
            xml.element("RequestId", requestID)
        }
        return HTTPResponse(
            status: status, headers: STSAnswer.headers(requestID), body: xml.bytes)
    }
}

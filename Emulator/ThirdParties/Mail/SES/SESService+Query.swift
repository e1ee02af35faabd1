internal import Bytes
internal import EmulatorAWS
internal import HTTP
internal import JSON
internal import Time
internal import XML

// API version 1 with its query protocol: `SendEmail` and `SendRawEmail`. A request is converted to
// version 2; errors have the codes of version 1
// (https://docs.aws.amazon.com/ses/latest/APIReference/CommonErrors.html).
extension SESService {
    private static let namespace = "http://ses.amazonaws.com/doc/2010-12-01/"

    func answerQuery(_ call: SESCall, requestID: String) -> HTTPResponse {
        do throws(SESFailure) {
            let signed = try authenticate(call, at: clock.now())
            let context = SESOperationContext(
                operation: .sendEmail, call: call.http, signed: signed, now: clock.now(),
                body: SESObject(try Self.body(of: call), ""), apiVersion: "1")
            let answer = try sendEmail(context)
            let name = call.action
            var xml = XMLWriter(declaration: false)
            xml.element("\(name)Response", namespace: Self.namespace) { xml in
                xml.element("\(name)Result") {
                    $0.element("MessageId", ifPresent: answer["MessageId"]?.stringValue)
                }
                xml.element("ResponseMetadata") { $0.element("RequestId", requestID) }
            }
            return Self.response(200, xml, requestID)
        } catch {
            let failure = error.ofQueryProtocol
            var xml = XMLWriter(declaration: false)
            xml.element("ErrorResponse", namespace: Self.namespace) { xml in
                xml.element("Error") { xml in
                    xml.element("Type", failure.status >= 500 ? "Receiver" : "Sender")
                    xml.element("Code", failure.code)
                    xml.element("Message", failure.message)
                }
                xml.element("RequestId", requestID)
            }
            return Self.response(failure.status, xml, requestID)
        }
    }

    private static func response(
        _ status: Int, _ xml: XMLWriter, _ requestID: String
    ) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [
                HTTPHeader("Content-Type", "text/xml"), HTTPHeader("x-amzn-RequestId", requestID),
            ], body: xml.bytes)
    }
}

// A version 1 form, converted to a version 2 body.
extension SESService {
    private static let version = "2010-12-01"

    private static func body(of call: SESCall) throws(SESFailure) -> JSONObject {
        guard let form = call.form else {
            throw SESFailure(
                400, "MalformedQueryString", "The query string contains a syntax error")
        }
        guard let name = form["Action"] else {
            throw SESFailure(
                400, "MissingAction", "The request must contain the parameter Action")
        }
        let version = form["Version"] ?? "NO_VERSION_SPECIFIED"
        guard version == Self.version else {
            throw SESFailure(
                400, "InvalidAction", "Could not find operation \(name) for version \(version)")
        }
        switch call.operation {
        case .sendEmail: return try simple(form)
        case .sendRawEmail: return try raw(form)
        default:
            throw SESFailure(
                501, "NotImplemented",
                "The emulator does not implement \(name) of SES version 1: it has SendEmail and "
                    + "SendRawEmail, and SES version 2")
        }
    }

    private static func simple(_ form: SESForm) throws(SESFailure) -> JSONObject {
        let subject = try form.required("Message.Subject.Data", "message.subject.data")
        var content: JSONObject = [:]
        for part in ["Text", "Html"] {
            content[part] = form["Message.Body.\(part).Data"].map { ["Data": .string($0)] }
        }
        guard content.members.count > 0 else {
            throw SESFailure(
                400, "InvalidParameterValue", "Message.Body must have Text, Html or both")
        }
        return [
            "FromEmailAddress": .string(try form.required("Source", "source")),
            "Destination": [
                "ToAddresses": form.list("Destination.ToAddresses"),
                "CcAddresses": form.list("Destination.CcAddresses"),
                "BccAddresses": form.list("Destination.BccAddresses"),
            ],
            "ReplyToAddresses": form.list("ReplyToAddresses"), "EmailTags": form.tags,
            "Content": [
                "Simple": ["Subject": ["Data": .string(subject)], "Body": .object(content)]
            ],
        ]
    }

    private static func raw(_ form: SESForm) throws(SESFailure) -> JSONObject {
        let data = try form.required("RawMessage.Data", "rawMessage.data")
        var body: JSONObject = [
            "Destination": ["ToAddresses": form.list("Destinations")], "EmailTags": form.tags,
            "Content": ["Raw": ["Data": .string(data)]],
        ]
        body["FromEmailAddress"] = form["Source"].map { .string($0) }
        return body
    }
}

/// The parameters of version 1.
struct SESForm: Sendable {
    /// 50 recipients in each of three lists, 50 tags with two parts.
    private static let pairsMax = 512

    private let values: [[UInt8]: String]

    init?(_ text: String) {
        guard let pairs = PercentEncoding.parseForm(text, pairsMax: Self.pairsMax) else {
            return nil
        }
        values = Dictionary(
            pairs.map { (Array($0.0.utf8), $0.1) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(name: String) -> String? { values[Array(name.utf8)] }

    func required(_ name: String, _ member: String) throws(SESFailure) -> String {
        guard let value = self[name] else {
            throw SESFailure(
                400, "ValidationError",
                "1 validation error detected: Value null at '\(member)' failed to satisfy "
                    + "constraint: Member must not be null")
        }
        return value
    }

    /// `Destinations.member.1`, `Destinations.member.2`, … up to the first gap.
    func list(_ name: String) -> JSON {
        var list: [JSON] = []
        while let value = self["\(name).member.\(list.count + 1)"] {
            list.append(.string(value))
        }
        return .array(list)
    }

    var tags: JSON {
        var tags: [JSON] = []
        while let name = self["Tags.member.\(tags.count + 1).Name"] {
            let value = self["Tags.member.\(tags.count + 1).Value"] ?? ""
            tags.append(["Name": .string(name), "Value": .string(value)])
        }
        return .array(tags)
    }
}

extension SESFailure {
    /// The error in version 1.
    fileprivate var ofQueryProtocol: SESFailure {
        switch code {
        case "BadRequestException", "SerializationException":
            SESFailure(400, "InvalidParameterValue", message)
        case "AccessDeniedException": SESFailure(403, "AccessDenied", message)
        case "TooManyRequestsException", "LimitExceededException":
            SESFailure(400, "Throttling", message)
        case "SendingPausedException":
            SESFailure(400, "AccountSendingPausedException", message)
        case "AccountSuspendedException": SESFailure(400, "MessageRejected", message)
        case "InternalServiceErrorException": SESFailure(500, "InternalFailure", message)
        case "RequestEntityTooLargeException": SESFailure(413, "RequestEntityTooLarge", message)
        default: self
        }
    }
}

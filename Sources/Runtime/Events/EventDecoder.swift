internal import Bytes
package import JSON

/// Detects the format of an event and decodes it to a `Request`.
package struct EventDecoder: Sendable {
    /// A prefix of every path, such as the key of a custom domain's mapping; empty for none.
    package let basePath: String

    package init(basePath: String = "") { self.basePath = basePath }

    package func decode(
        _ bytes: [UInt8], in context: InvocationContext
    ) throws(EventFailure) -> (request: Request, replyForm: ReplyForm) {
        let event = try Self.event(bytes)
        guard let object = event.objectValue else { throw .notAnObject }
        switch Self.shape(of: object) {
        case .gatewayV2:
            return (try gatewayV2(object, in: context), .gatewayV2)
        case .restV1:
            return (try restV1(object, in: context), .restV1)
        case .authorizer:
            throw .authorizerEvent
        case .schedule:
            return (Self.bare(.schedule, object, in: context), .bare)
        case .direct:
            return (Self.bare(.direct, object, in: context), .bare)
        }
    }

    package static func event(_ bytes: [UInt8]) throws(EventFailure) -> JSON {
        do {
            return try JSON.parse(bytes, limits: .event)
        } catch {
            if error == .tooLarge { throw .tooLarge }
            throw .notJSON(error)
        }
    }

    private enum Shape { case gatewayV2, restV1, authorizer, schedule, direct }

    /// The order matters: authorizer events resemble the requests that they authorise.
    private static func shape(of event: JSONObject) -> Shape {
        if event["type"] == "REQUEST" || event["type"] == "TOKEN",
            event["routeArn"]?.stringValue != nil || event["methodArn"]?.stringValue != nil
        {
            return .authorizer
        }
        if event["version"] == "2.0",
            event["requestContext"]?.objectValue != nil || event["rawPath"] != nil
        {
            return .gatewayV2
        }
        if event["httpMethod"]?.stringValue != nil, event["resource"]?.stringValue != nil {
            return .restV1
        }
        if event["source"] == "aws.events", event["detail-type"] != nil {
            return .schedule
        }
        return .direct
    }

    private static func bare(
        _ form: Request.Form, _ payload: JSONObject, in context: InvocationContext
    ) -> Request {
        Request(
            form: form, path: "", payload: payload, requestID: context.requestID,
            deadline: context.deadline)
    }
}

extension EventDecoder {
    /// HTTP API and Function URL: payload format 2.0 ("Working with AWS Lambda proxy integrations
    /// for HTTP APIs", API Gateway developer guide).
    ///
    /// An HTTP API has already decoded `rawPath` except for `%25`, a Function URL has decoded
    /// nothing. Decoding the remaining escapes is correct for both.
    private func gatewayV2(
        _ event: JSONObject, in context: InvocationContext
    ) throws(EventFailure) -> Request {
        let requestContext = try event.required(event.object("requestContext"), "requestContext")
        let http = try event.required(
            requestContext.object("http"), "requestContext.http")
        let method = try event.required(http.text("method"), "requestContext.http.method")
        var request = Request(
            method: method.asciiUppercased,
            sourceAddress: try http.text("sourceIp"), forwardsSourceAddress: true,
            userAgent: try http.text("userAgent"),
            requestID: RequestID.legal(try requestContext.text("requestId")) ?? context.requestID,
            deadline: context.deadline)
        request.setPath(
            encoded: stageless(
                try event.required(event.text("rawPath"), "rawPath"),
                stage: try requestContext.text("stage")))
        request.stripPrefix(basePath)
        request.setQuery(encoded: try event.text("rawQueryString") ?? "")
        let cookies = try event.list("cookies")
        for (name, value) in try event.texts("headers") {
            // A Function URL passes the cookies both as a header and in `cookies`.
            if cookies != nil, name.asciiLowercased.isSame(as: "cookie") { continue }
            guard request.addHeader(name, value) else { break }
        }
        for cookie in cookies ?? [] {
            guard request.addCookies(listed: cookie) else { break }
        }
        request.body = try body(of: event)
        return request
    }

    /// REST API ("Lambda proxy integrations in API Gateway", API Gateway developer guide), and the
    /// HTTP API's payload format 1.0.
    private func restV1(
        _ event: JSONObject, in context: InvocationContext
    ) throws(EventFailure) -> Request {
        let requestContext = try event.object("requestContext") ?? [:]
        let identity = try requestContext.object("identity") ?? [:]
        let method = try event.required(event.text("httpMethod"), "httpMethod")
        var request = Request(
            method: method.asciiUppercased,
            sourceAddress: try identity.text("sourceIp"), forwardsSourceAddress: true,
            userAgent: try identity.text("userAgent"),
            requestID: RequestID.legal(try requestContext.text("requestId")) ?? context.requestID,
            deadline: context.deadline)
        request.setPath(encoded: try event.required(event.text("path"), "path"))
        request.stripPrefix(basePath)
        // The single-value maps have only the last of several values.
        let parameters = try event.texts(
            "queryStringParameters", orLists: "multiValueQueryStringParameters")
        for (name, value) in parameters {
            guard request.addQueryParameter(name, value) else { break }
        }
        for (name, value) in try event.texts("headers", orLists: "multiValueHeaders") {
            guard request.addHeader(name, value) else { break }
        }
        request.body = try body(of: event)
        return request
    }

    private func stageless(_ path: String, stage: String?) -> String {
        guard let stage, !stage.isSame(as: "$default") else { return path }
        return path.droppingSegments("/" + stage)
    }

    private func body(of event: JSONObject) throws(EventFailure) -> [UInt8] {
        guard let text = try event.text("body") else { return [] }
        guard try event.flag("isBase64Encoded") else { return Array(text.utf8) }
        guard let bytes = Base64.decode(text) else { throw .bodyNotBase64 }
        return bytes
    }
}

// REST API sends null for absent values, HTTP API omits them: both are nil here.
extension JSONObject {
    fileprivate func present(_ name: String) -> JSON? {
        self[name].flatMap { $0.isNull ? nil : $0 }
    }

    fileprivate func text(_ name: String) throws(EventFailure) -> String? {
        guard let value = present(name) else { return nil }
        guard let text = value.stringValue else { throw .wrongType(field: name) }
        return text
    }

    fileprivate func object(_ name: String) throws(EventFailure) -> JSONObject? {
        guard let value = present(name) else { return nil }
        guard let object = value.objectValue else { throw .wrongType(field: name) }
        return object
    }

    fileprivate func flag(_ name: String) throws(EventFailure) -> Bool {
        guard let value = present(name) else { return false }
        guard let flag = value.boolValue else { throw .wrongType(field: name) }
        return flag
    }

    fileprivate func list(_ name: String) throws(EventFailure) -> [String]? {
        guard let value = present(name) else { return nil }
        return try Self.texts(in: value, named: name)
    }

    private static func texts(
        in list: JSON, named field: String
    ) throws(EventFailure) -> [String] {
        guard let elements = list.arrayValue else { throw .wrongType(field: field) }
        var texts: [String] = []
        texts.reserveCapacity(elements.count)
        for element in elements {
            guard let text = element.stringValue else { throw .wrongType(field: field) }
            texts.append(text)
        }
        return texts
    }

    /// The members of an object whose values are strings, in order.
    fileprivate func texts(
        _ name: String
    ) throws(EventFailure) -> [(name: String, value: String)] {
        var texts: [(name: String, value: String)] = []
        for member in try object(name)?.members ?? [] where !member.value.isNull {
            guard let text = member.value.stringValue else { throw .wrongType(field: name) }
            texts.append((member.name, text))
        }
        return texts
    }

    /// The members of the object `listsName`, whose values are lists of strings, in order. If there
    /// is no such object, these are the members of `name`, whose values are strings.
    fileprivate func texts(
        _ name: String, orLists listsName: String
    ) throws(EventFailure) -> [(name: String, value: String)] {
        guard let lists = try object(listsName) else { return try texts(name) }
        var texts: [(name: String, value: String)] = []
        for member in lists.members where !member.value.isNull {
            for text in try Self.texts(in: member.value, named: member.name) {
                texts.append((member.name, text))
            }
        }
        return texts
    }

    fileprivate func required<Value>(
        _ value: Value?, _ field: String
    ) throws(EventFailure) -> Value {
        guard let value else { throw .missing(field: field) }
        return value
    }
}

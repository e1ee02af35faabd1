internal import Bytes
package import EmulatorBase
internal import HTTP
internal import JSON

/// The Lambda API (Lambda API Reference, "Invoke", "GetFunction", "ListFunctions").
package final class InvokeAPI: Sendable {
    private let service: FunctionService
    private let events: EventQueue

    static let prefix = "/2015-03-31/functions"

    package init(_ service: FunctionService) {
        self.service = service
        events = EventQueue(service)
    }

    /// Whether a request is for the Lambda API.
    package static func serves(_ request: ServerRequest) -> Bool {
        request.target.utf8.starts(with: prefix.utf8)
    }

    package func handle(_ request: ServerRequest, _ slot: ResponseSlot) {
        do throws(LambdaError) {
            let parts = request.path.dropFirst(Self.prefix.utf8.count)
                .split(separator: "/", omittingEmptySubsequences: true)
            switch (request.method, parts.count) {
            case ("GET", 0):
                slot.respond(FunctionDescription.list(service))
            case ("GET", 1):
                let function = try find(parts[0], request)
                slot.respond(FunctionDescription.function(function, service))
            case ("GET", 2) where parts[1] == "configuration":
                let function = try find(parts[0], request)
                slot.respond(FunctionDescription.configuration(function, service))
            case ("POST", 2) where parts[1] == "invocations":
                try invoke(parts[0], request, slot)
            default: throw .notHere(request.method, String(request.path))
            }
        } catch {
            slot.respond(error.response(service.newRequestID()))
        }
    }

    /// The response to a body over the server's limit.
    package func tooLarge(_ request: ServerRequest) -> ServerResponse {
        LambdaError.requestTooLarge(bytesMax: FunctionLimits.requestBytesMax)
            .response(service.newRequestID())
    }

    private func invoke(
        _ name: Substring, _ request: ServerRequest, _ slot: ResponseSlot
    ) throws(LambdaError) {
        let type = request.header("x-amz-invocation-type") ?? "RequestResponse"
        let function = try find(name, request)
        switch type {
        case "DryRun":
            slot.respond(ServerResponse(status: 204, headers: requestIDHeader()))
        case "Event":
            let body = try invocation(request, bytesMax: FunctionLimits.eventBytesMax)
            guard events.add(function.name, body) else { throw .queueFull }
            slot.respond(ServerResponse(status: 202, headers: requestIDHeader()))
        case "RequestResponse":
            let body = try invocation(request, bytesMax: FunctionLimits.requestBytesMax)
            service.invoke(function.name, body) { slot.respond(InvokeReply.response($0)) }
        default:
            throw .invalidParameter(
                "1 validation error detected: Value '\(type)' at 'invocationType' failed to "
                    + "satisfy constraint: Member must satisfy enum value set: "
                    + "[Event, RequestResponse, DryRun]")
        }
    }

    private func requestIDHeader() -> [HTTPHeader] {
        [HTTPHeader("x-amzn-RequestId", service.newRequestID())]
    }

    private func find(
        _ text: Substring, _ request: ServerRequest
    ) throws(LambdaError) -> FunctionConfiguration {
        guard let decoded = PercentEncoding.decode(text, plusIsSpace: false),
            let reference = FunctionReference(decoded)
        else { throw .invalidName(String(text)) }
        let asked = try qualifier(request)
        if let asked, let named = reference.qualifier, !asked.isSame(as: named) {
            throw .invalidParameter(
                "The derived qualifier from the function name does not match the specified "
                    + "qualifier.")
        }
        let qualifier = asked ?? reference.qualifier
        var arn = service.arn(reference.name)
        if let qualifier { arn += ":\(qualifier)" }
        guard let function = service.definition(reference.name),
            qualifier == nil || qualifier == "$LATEST" || qualifier == function.alias,
            reference.region.map({ $0.isSame(as: service.settings.region) }) ?? true,
            reference.account.map({ $0.isSame(as: service.settings.account) }) ?? true
        else { throw .notFound(arn) }
        return function
    }

    private func qualifier(_ request: ServerRequest) throws(LambdaError) -> String? {
        guard let query = request.query, !query.isEmpty else { return nil }
        guard let pairs = PercentEncoding.parseForm(String(query), pairsMax: 16) else {
            throw .invalidParameter("The query is malformed.")
        }
        guard let value = pairs.first(where: { $0.0 == "Qualifier" })?.1 else { return nil }
        guard FunctionReference.isLegalQualifier(value) else {
            throw .invalidParameter(
                "1 validation error detected: Value '\(value)' at 'qualifier' failed to satisfy "
                    + "constraint: Member must satisfy regular expression pattern: "
                    + "(|[a-zA-Z0-9$_-]+)")
        }
        return value
    }

    private func invocation(
        _ request: ServerRequest, bytesMax: Int
    ) throws(LambdaError) -> InvocationRequest {
        guard request.body.count <= bytesMax else { throw .requestTooLarge(bytesMax: bytesMax) }
        let payload = request.body.isEmpty ? Array("{}".utf8) : request.body
        if let offset = JSONScan.failure(in: payload) {
            throw .notJSON(word: JSONScan.word(at: offset, in: payload))
        }
        return InvocationRequest(
            payload: payload, clientContext: try clientContext(request),
            traceID: request.header("x-amzn-trace-id"),
            wantsLog: request.header("x-amz-log-type") == "Tail")
    }

    private func clientContext(_ request: ServerRequest) throws(LambdaError) -> String? {
        guard let text = request.header("x-amz-client-context") else { return nil }
        guard text.utf8.count <= FunctionLimits.clientContextBytesMax,
            let bytes = Base64.decode(text), JSONScan.failure(in: bytes) == nil,
            // The value becomes a header of the Runtime API.
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw .invalidContent("Client context must be a valid Base64-encoded JSON object.") }
        return String(decoding: bytes, as: UTF8.self)
    }
}

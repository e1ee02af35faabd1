package import AuthOperations
package import FunctionRuntime
internal import JSON

/// From a request to an answer: which endpoint, which bodies, which operation.
package struct Dispatcher: Sendable {
    package let contract: Contract
    private let endpoints: [Endpoint]
    private let operations: Operations

    /// Serves the endpoints of `contract` that belong to `served`; nil when it has none.
    package init?(contract: Contract, serving served: [Operation], operations: Operations) {
        let endpoints = contract.endpoints.filter { served.contains($0.operation) }
        guard !endpoints.isEmpty else { return nil }
        self.contract = contract
        self.endpoints = endpoints
        self.operations = operations
    }

    /// What came of a request, for the log.
    package struct Outcome: Sendable {
        package let operation: Operation
        package let answer: Answer
        package let problem: Problem?
        package let code: StaticCode?
    }

    package func outcome(of request: Request) -> Outcome {
        var operation = endpoints[0].operation
        do {
            let (endpoint, parameters) = try route(request)
            operation = endpoint.operation
            let call = Call(
                fields: try fields(request, endpoint), parameters: parameters,
                context: context(request))
            return Outcome(
                operation: operation, answer: try perform(endpoint.exchange, call), problem: nil,
                code: nil)
        } catch {
            let face = contract.face(error, operation)
            return Outcome(
                operation: operation, answer: face.answer, problem: error, code: face.code)
        }
    }

    // MARK: Routing

    private func route(
        _ request: Request
    ) throws(Problem) -> (Endpoint, [String: String]) {
        switch request.form {
        case .http: return try routeByPath(request)
        case .direct, .schedule: return try routeByPayload(request)
        }
    }

    private func routeByPath(
        _ request: Request
    ) throws(Problem) -> (Endpoint, [String: String]) {
        switch request.defect {
        case .path, .query: throw .malformed(.badPath)
        case .tooManyFields: throw .malformed(.tooManyFields)
        case .bodyTooLarge, nil: break
        }
        var allowed: [String] = []
        for endpoint in endpoints {
            guard let route = endpoint.route, let found = route.match(request.path) else {
                continue
            }
            if route.method.utf8.elementsEqual(request.method.utf8) { return (endpoint, found) }
            allowed.append(route.method)
        }
        guard allowed.isEmpty else { throw .methodNotAllowed(allowed: allowed) }
        throw .noSuchRoute
    }

    private func routeByPayload(
        _ request: Request
    ) throws(Problem) -> (Endpoint, [String: String]) {
        guard let payload = request.payload else { throw .malformed(.notAnObject) }
        let selected = endpoints.first { endpoint in
            guard let selector = endpoint.selector, let member = payload[selector.member],
                member != .null
            else { return false }
            // A member of a wrong type asks for this endpoint too, and is refused there.
            guard let expected = selector.value else { return true }
            return member.stringValue.map { $0.utf8.elementsEqual(expected.utf8) } ?? false
        }
        guard let endpoint = selected ?? endpoints.first(where: { $0.selector == nil }) else {
            throw .noSuchRoute
        }
        var parameters: [String: String] = [:]
        if let member = endpoint.selector?.member {
            parameters[member] = payload[member]?.stringValue
        }
        return (endpoint, parameters)
    }

    // MARK: Bodies

    private func fields(
        _ request: Request, _ endpoint: Endpoint
    ) throws(Problem) -> Fields {
        if let payload = request.payload { return Fields(payload) }
        guard endpoint.route?.method == "POST" else { return Fields([:]) }
        if request.defect == .bodyTooLarge { throw .malformed(.tooLarge) }
        let bytes = request.body
        guard bytes.contains(where: { !" \t\r\n".utf8.contains($0) }) else { return Fields([:]) }
        guard isJSON(request.header("content-type")) else {
            throw .malformed(.unsupportedMediaType)
        }
        do {
            let json = try JSON.parse(bytes, limits: .request)
            guard let object = json.objectValue else { throw Problem.malformed(.notAnObject) }
            return Fields(object)
        } catch JSONFailure.tooLarge {
            throw .malformed(.tooLarge)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .malformed(.notJSON)
        }
    }

    /// A page of another site can send a form without asking; it cannot send JSON. A missing type
    /// is taken for JSON, as scripts leave it out.
    private func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        let type = contentType.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type == "application/json"
            || (type.hasPrefix("application/") && type.hasSuffix("+json"))
    }

    // MARK: The caller

    private func context(_ request: Request) -> RequestContext {
        let header =
            request.payload?["authorization"]?.stringValue ?? request.header("authorization")
        return RequestContext(
            address: request.sourceAddress, userAgent: request.userAgent,
            bearer: header.flatMap(Bearer.token))
    }

    // MARK: Performing

    private struct Call {
        let fields: Fields
        let parameters: [String: String]
        let context: RequestContext
    }

    private func perform(_ exchange: Exchange, _ call: Call) throws(Problem) -> Answer {
        let context = call.context
        switch exchange {
        case .challenge(let write):
            return write(try operations.challenge(context))
        case .signIn(let read, let write):
            return write(try operations.signIn(try read(call.fields), context))
        case .signInForStorage(let read, let write):
            let signIn = SignInForStorage(signIn: operations.signIn, credentials: try storage())
            return write(try signIn(try read(call.fields), context))
        case .refresh(let read, let write):
            return write(try operations.refresh(try read(call.fields), context))
        case .signOut(let read, let write):
            let asked = try read(call.fields)
            try operations.signOut(refreshToken: asked.refreshToken, scope: asked.scope, context)
            return write(())
        case .me(let write):
            return write(try operations.authenticate(context.bearer))
        case .listSessions(let write):
            return write(try operations.listSessions(context))
        case .revokeSession(let write):
            try operations.revokeSession(call.parameters["id"] ?? "", context)
            return write(())
        case .credentials(let read, let write):
            return write(try storage()(try read(call.fields), context))
        case .keySet(let write):
            return write(try operations.publishKeys.keySet())
        case .discovery(let write):
            return write(operations.publishKeys.discovery())
        }
    }

    private func storage() throws(Problem) -> IssueCredentials {
        guard let credentials = operations.credentials else { throw .storageRefused }
        return credentials
    }
}

/// RFC 6750 section 2.1.
package enum Bearer {
    package static func token(_ header: String) -> String? {
        let bytes = Array(header.utf8)
        guard bytes.count > 7, bytes.count <= 16 << 10,
            String(decoding: bytes[..<7], as: UTF8.self).lowercased() == "bearer "
        else { return nil }
        let token = bytes[7...].drop { $0 == UInt8(ascii: " ") }
        guard !token.isEmpty, token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        return String(decoding: token, as: UTF8.self)
    }
}

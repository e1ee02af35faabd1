internal import AuthComposition
internal import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import Glibc
internal import HTTP
internal import JSON

/// The server that answers the requests: a server at a URL, or this process with the deployment's
/// store.
struct AdminServer {
    struct Answer {
        let status: Int
        /// nil for an answer without a body.
        let body: JSON?
    }

    private let send: (String, String, JSONObject?) throws(CommandFailure) -> Answer
    /// Performs an action that has no address; nil if a server at a URL answers.
    private(set) var invoke: ((String) throws(CommandFailure) -> Answer)?
    /// Whether the address in links is the default one, which may not be the running server's.
    private(set) var guessesItsAddress = false
    private static let tokenName = "LATCHKEY_TOKEN"
    private static let tokenBytesMax = 64 << 10

    /// - Parameters:
    ///   - path: the path with its query.
    func ask(
        _ method: String, _ path: String, _ body: JSONObject?
    ) throws(CommandFailure) -> Answer {
        try send(method, path, body)
    }

    // MARK: By HTTP

    init(
        at url: String, tokenFile: String?, _ transport: HTTPTransport
    ) throws(CommandFailure) {
        guard ProtectedResource.isURI(url), !url.contains("?") else {
            throw CommandFailure(
                "--url must be an https URL (http only for this machine)",
                status: AdminStatus.usage)
        }
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        let token = try Self.token(tokenFile)
        send = { method, path, body throws(CommandFailure) in
            var request = HTTPRequest(
                HTTPRequest.Method(rawValue: method) ?? .post, base + path,
                headers: [
                    HTTPHeader("authorization", "Bearer \(token)"),
                    HTTPHeader("user-agent", "latchkey admin"),
                ])
            if let body {
                request.headers.append(HTTPHeader("content-type", "application/json"))
                request.body = JSON.object(body).serialized
            }
            let response: HTTPResponse
            do throws(HTTPFailure) {
                response = try transport.send(request)
            } catch {
                throw CommandFailure(
                    "\(base) does not answer: \(error.detail)", status: AdminStatus.unreachable)
            }
            return Answer(
                status: response.status, body: try? JSON.parse(response.body, limits: .event))
        }
    }

    /// The token is never an argument, because other users of the machine can see arguments.
    private static func token(_ file: String?) throws(CommandFailure) -> String {
        var text = getenv(tokenName).map { String(cString: $0) }
        if let file {
            text = String(decoding: try readFile(file, bytesMax: tokenBytesMax), as: UTF8.self)
        }
        let token = text?.filter { !$0.isWhitespace } ?? ""
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw CommandFailure(
                "the access token is missing: give --token-file FILE, or set \(tokenName)",
                status: AdminStatus.usage)
        }
        return token
    }

    // MARK: In this process

    init(_ assembly: Assembly) throws(CommandFailure) {
        let answer: (Request) -> Reply
        do throws(StartFailure) {
            let settings = try assembly.operatorSettings()
            try settings.requireStore()
            try settings.requireStarted()
            answer = try LatchkeyFunction.operatorRequests(
                assembly, Log(level: .error) { _ = Descriptor.writeAll($0, to: 2) })
        } catch {
            throw CommandFailure(error, status: AdminStatus.unreachable)
        }
        send = { method, path, body throws(CommandFailure) in
            let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
            var request = Request(
                method: method,
                path: PercentEncoding.decode(parts[0], plusIsSpace: false) ?? parts[0],
                query: parts.count == 2
                    ? (PercentEncoding.parseForm(parts[1], pairsMax: 16) ?? [])
                        .map { (name: $0.0, value: $0.1) } : [],
                headers: body == nil ? [] : [HTTPHeader("content-type", "application/json")],
                body: body.map { JSON.object($0).serialized } ?? [],
                userAgent: "latchkey admin", requestID: "admin")
            request.isOperators = true
            return Answer(answer(request))
        }
        guessesItsAddress = Environment.current()["ISSUER"] == nil
        invoke = { name throws(CommandFailure) in
            let payload: JSONObject = ["function": "admin", "action": .string(name)]
            return Answer(answer(Request(form: .direct, payload: payload, requestID: "admin")))
        }
    }
}

extension AdminServer.Answer {
    fileprivate init(_ reply: Reply) {
        status = reply.status
        body =
            switch reply.body {
            case .json(let json): json
            case .text(let text, _): try? JSON.parse(Array(text.utf8), limits: .event)
            case nil: nil
            }
    }
}

/// - Parameter path: `-` for standard input.
func readFile(_ path: String, bytesMax: Int) throws(CommandFailure) -> [UInt8] {
    let descriptor = path.isSame(as: "-") ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
        throw CommandFailure(
            "\(path): \(String(cString: strerror(errno)))", status: AdminStatus.usage)
    }
    defer { if descriptor != 0 { close(descriptor) } }
    guard let bytes = try? Descriptor.readAll(descriptor, bytesMax: bytesMax) else {
        throw CommandFailure(
            "\(path) cannot be read, or has more than \(bytesMax) bytes",
            status: AdminStatus.usage)
    }
    return bytes
}

extension OperatorSettings {
    /// Throws if no server has used the store yet: this process would create keys for it.
    func requireStarted() throws(StartFailure) {
        var missing: [String] = []
        if case .file(let path) = masterKey, try masterKeyFile() == nil { missing.append(path) }
        if case .file(let path) = administrator, try administratorFile() == nil {
            missing.append(path)
        }
        guard missing.isEmpty else {
            throw StartFailure(
                problems: missing.map {
                    "\($0) does not exist: start the server once, which makes it, or name the "
                        + "server's settings by --env-file"
                })
        }
        if store == .memory {
            throw StartFailure(problems: ["STORE: only its own process can use a memory store"])
        }
    }
}

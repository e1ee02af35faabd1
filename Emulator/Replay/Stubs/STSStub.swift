internal import EmulatorHTTP
internal import Bytes
internal import EmulatorServer
internal import HTTP
internal import JSON
internal import Synchronization
internal import Time

/// STS on a loopback port: each fixture under a path of its own.
final class STSStub: Sendable {
    static let secretAccessKey = "wJalrXUtnFEMIsK7MDENGbPxRfiCYEXAMPLEKEYS"
    static let sessionToken = "FwoGZXIvYXdzEBYaDHqa0AP1rWJEXAMPLEtoken"

    private let state: State
    private let server: Server

    private final class State: Sendable {
        let scripts = Mutex<[String: STSScript.Answer]>([:])
        let forms = Mutex<[(path: String, form: JSONObject)]>([])
        /// Callers that are left waiting. A slot that is let go answers by itself.
        let waiting = Mutex<[ResponseSlot]>([])
    }

    init() throws(ServerFailure) {
        let state = State()
        self.state = state
        server = try Server { request, slot in
            let path = String(request.path.dropFirst().prefix { $0 != "/" })
            let body = String(decoding: request.body, as: UTF8.self)
            var form: JSONObject = [:]
            for (name, value) in PercentEncoding.parseForm(body, pairsMax: 64) ?? [] {
                form[name] = .string(value)
            }
            form["signed"] = .bool(request.header("authorization") != nil)
            let asked = form
            state.forms.withLock { $0.append((path, asked)) }
            if let reply = Self.reply(
                state.scripts.withLock { $0[path] } ?? .accessDenied, to: asked)
            {
                slot.respond(reply)
            } else {
                state.waiting.withLock { $0.append(slot) }
            }
        }
    }

    func stop() {
        server.stop()
        state.waiting.withLock { $0 = [] }
    }

    func endpoint(of id: String, answering answer: STSScript.Answer) -> String {
        state.scripts.withLock { $0[id] = answer }
        return "http://127.0.0.1:\(server.port)/\(id)"
    }

    func forms(of id: String) -> [JSONObject] {
        state.forms.withLock { forms in forms.filter { $0.path.isSame(as: id) }.map(\.form) }
    }

    /// nil is silence.
    private static func reply(
        _ answer: STSScript.Answer, to form: JSONObject
    ) -> ServerResponse? {
        switch answer {
        case .granted: xml(200, granted(form))
        case .accessDenied, .expiredToken: xml(403, refusal(answer.rawValue))
        case .packedPolicyTooLarge, .invalidIdentityToken: xml(400, refusal(answer.rawValue))
        case .broken: xml(500, refusal("InternalFailure"))
        case .html: ServerResponse(status: 200, body: Array("<html>Oops</html>".utf8))
        case .silent: nil
        }
    }

    private static func granted(_ form: JSONObject) -> String {
        let action = form["Action"]?.stringValue ?? ""
        let seconds = form["DurationSeconds"]?.stringValue.flatMap { Int64($0) } ?? 3600
        let expiration = (WallClock.system.now() + .seconds(seconds)).iso8601Seconds
        return """
            <\(action)Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><\(action)Result>
            <Credentials><AccessKeyId>ASIAIOSFODNN7EXAMPLE</AccessKeyId>
            <SecretAccessKey>\(secretAccessKey)</SecretAccessKey>
            <SessionToken>\(sessionToken)</SessionToken>
            <Expiration>\(expiration)</Expiration></Credentials>
            <PackedPolicySize>6</PackedPolicySize></\(action)Result>
            <ResponseMetadata><RequestId>ad4156e9</RequestId></ResponseMetadata></\(action)Response>
            """
    }

    private static func refusal(_ code: String) -> String {
        """
        <ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>
        <Code>\(code)</Code><Message>User: arn:aws:iam::123456789012:user/deploy may not</Message>
        </Error><RequestId>ad4156e9</RequestId></ErrorResponse>
        """
    }

    private static func xml(_ status: Int, _ text: String) -> ServerResponse {
        ServerResponse(
            status: status, headers: [HTTPHeader("Content-Type", "text/xml")],
            body: Array(text.utf8))
    }
}

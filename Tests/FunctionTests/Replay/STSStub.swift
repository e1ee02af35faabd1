import Bytes
import HTTP
import JSON
import Synchronization
import TestSupport
import Time

/// How STS answers in one fixture, and what it must have been asked.
struct STSScript: Sendable {
    enum Answer: String {
        case granted
        case accessDenied = "AccessDenied"
        case packedPolicyTooLarge = "PackedPolicyTooLarge"
        case expiredToken = "ExpiredToken"
        case invalidIdentityToken = "InvalidIdentityToken"
        case broken, html, silent
    }

    let answer: Answer
    /// The form that was posted, `Policy` as a tree; nil when nobody says.
    let asked: JSON?

    init(_ json: JSON) throws {
        let reader = try GivenReader(json, at: "sts", only: ["answer", "asked"])
        guard let answer = Answer(rawValue: try text(reader["answer"], "sts.answer")) else {
            throw Given.Malformed(description: "sts.answer")
        }
        self.answer = answer
        asked = reader["asked"]
    }
}

/// STS on a loopback port: each fixture under a path of its own.
final class STSStub: Sendable {
    static let secretAccessKey = "wJalrXUtnFEMIsK7MDENGbPxRfiCYEXAMPLEKEYS"
    static let sessionToken = "FwoGZXIvYXdzEBYaDHqa0AP1rWJEXAMPLEtoken"

    private let state: State
    private let server: LoopbackServer

    private final class State: Sendable {
        let scripts = Mutex<[String: STSScript.Answer]>([:])
        let forms = Mutex<[(path: String, form: JSONObject)]>([])
    }

    init() throws {
        let state = State()
        self.state = state
        server = try LoopbackServer(replying: { request in
            let path = String(request.path.dropFirst().prefix { $0 != "/" })
            var form: JSONObject = [:]
            for (name, value) in PercentEncoding.parseForm(request.bodyText, pairsMax: 64) ?? [] {
                form[name] = .string(value)
            }
            form["signed"] = .bool(request.header("authorization") != nil)
            let asked = form
            state.forms.withLock { $0.append((path, asked)) }
            return Self.reply(state.scripts.withLock { $0[path] } ?? .accessDenied, to: asked)
        })
    }

    func endpoint(of id: String, answering answer: STSScript.Answer) -> String {
        state.scripts.withLock { $0[id] = answer }
        return "\(server.url)/\(id)"
    }

    func forms(of id: String) -> [JSONObject] {
        state.forms.withLock { forms in forms.filter { $0.path == id }.map(\.form) }
    }

    private static func reply(_ answer: STSScript.Answer, to form: JSONObject) -> LoopbackReply {
        switch answer {
        case .granted: .response(xml(200, granted(form)))
        case .accessDenied, .expiredToken: .response(xml(403, refusal(answer.rawValue)))
        case .packedPolicyTooLarge, .invalidIdentityToken:
            .response(xml(400, refusal(answer.rawValue)))
        case .broken: .response(xml(500, refusal("InternalFailure")))
        case .html: .response(HTTPResponse(status: 200, body: Array("<html>Oops</html>".utf8)))
        case .silent: .silence
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

    private static func xml(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [HTTPHeader("Content-Type", "text/xml")],
            body: Array(text.utf8))
    }
}

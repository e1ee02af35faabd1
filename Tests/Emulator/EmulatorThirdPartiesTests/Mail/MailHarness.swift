import AWSSignature
import BaseTestSupport
import EmulatorAWS
import EmulatorThirdParties

let account = "123456789012"
let start = Instant(seconds: 1_700_000_000)

/// An account with an administrator and a user with few permissions, a mailbox and SES.
struct MailHarness {
    let mailbox: Mailbox
    let service: SESService
    let developer = AWSCredentials(
        accessKeyID: "AKIADEVELOPER0000000", secretAccessKey: SecretBytes(utf8: "secret"))
    let poor = AWSCredentials(
        accessKeyID: "AKIAPOOR000000000000", secretAccessKey: SecretBytes(utf8: "poor"))

    init(
        requiresVerifiedSenders: Bool = false, limits: MailboxLimits = MailboxLimits(),
        now: Instant = start,
        poorPolicy: String = #""Effect":"Deny","Action":"dynamodb:*","Resource":"*""#
    ) throws {
        let random = RandomSource.seeded(5)
        mailbox = try Mailbox(directory: nil, limits: limits, clock: .fixed(at: now))
        let all = try Self.policy(#""Effect":"Allow","Action":"*","Resource":"*""#)
        let authority = try CredentialAuthority(
            directory: IAMDirectory(
                account: account,
                accessKeys: [
                    AccessKey(
                        id: developer.accessKeyID, secret: developer.secretAccessKey,
                        owner: .named("developer", account: account, policies: [all])),
                    AccessKey(
                        id: poor.accessKeyID, secret: poor.secretAccessKey,
                        owner: .named(
                            "poor", account: account, policies: [try Self.policy(poorPolicy)])),
                ]), root: SecretBytes([UInt8](repeating: 3, count: 32)), random: random)
        service = SESService(
            mailbox, authority,
            options: SESService.Options(requiresVerifiedSenders: requiresVerifiedSenders),
            clock: .fixed(at: now), random: random)
    }

    static func policy(_ members: String) throws -> PolicyDocument {
        try PolicyDocument(
            parsing: #"{"Version":"2012-10-17","Statement":[{\#(members)}]}"#, as: .identity)
    }

    func call(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = "",
        as caller: AWSCredentials? = nil
    ) throws -> SESTestResponse {
        let request = try Signer(caller ?? developer, region: "us-east-1", service: "ses").sign(
            HTTPRequest(
                method, "http://127.0.0.1:8001\(path)",
                headers: [HTTPHeader("Content-Type", "application/json")], body: Array(body.utf8)),
            at: start)
        return try SESTestResponse(
            service.answer(
                SESCall(
                    ServiceCall(
                        method: method.rawValue, target: path, headers: request.headers,
                        body: request.body, sourceAddress: "127.0.0.1"))))
    }

    /// Sends a request with `members` in addition to a sender.
    func send(_ members: String) throws -> SESTestResponse {
        try call(
            .post, "/v2/email/outbound-emails",
            #"{"FromEmailAddress":"App <no-reply@example.com>",\#(members)}"#)
    }

    @discardableResult
    func sendSimple(
        to: String = "ada@example.com", subject: String = "Hello", text: String = "code 123456"
    ) throws -> SESTestResponse {
        try send(
            #""Destination":{"ToAddresses":["\#(to)"]},"Content":{"Simple":{"Subject":"#
                + #"{"Data":"\#(subject)"},"Body":{"Text":{"Data":"\#(text)"}}}}"#)
    }
}

/// A parsed response.
struct SESTestResponse {
    let response: HTTPResponse
    let json: JSON

    init(_ response: HTTPResponse) throws {
        self.response = response
        json = try JSON.parse(response.body, limits: .response)
    }

    func expect(
        _ status: Int, _ code: String, _ message: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == status, sourceLocation: sourceLocation)
        #expect(response.header("x-amzn-ErrorType") == code, sourceLocation: sourceLocation)
        if let message {
            #expect(json["message"]?.stringValue == message, sourceLocation: sourceLocation)
        }
    }

    func isAccepted(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(response.status == 200, "\(json.text)", sourceLocation: sourceLocation)
    }
}

extension MIMEMessage {
    init(_ text: String) { self.init(Array(text.utf8)) }
}

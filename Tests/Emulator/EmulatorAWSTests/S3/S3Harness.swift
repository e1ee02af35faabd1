import AWSSignature
import BaseTestSupport
import EmulatorAWS
import XML

/// A store in memory or in a directory, with a service and a developer who has all permissions.
struct S3Harness: Sendable {
    let service: S3Service
    let authority: CredentialAuthority
    let developer = AWSCredentials(
        accessKeyID: "AKIADEVELOPER0000000", secretAccessKey: SecretBytes(utf8: "secret"))

    init(directory: String? = nil) throws {
        let random = RandomSource.seeded(7)
        let everything = try PolicyDocument(
            parsing: #"{"Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}"#,
            as: .identity)
        authority = try CredentialAuthority(
            directory: IAMDirectory(
                account: account,
                accessKeys: [
                    AccessKey(
                        id: developer.accessKeyID, secret: developer.secretAccessKey,
                        owner: .named("developer", account: account, policies: [everything]))
                ], inventsRoles: true),
            root: SecretBytes([UInt8](repeating: 3, count: 32)), random: random)
        service = try S3Service(
            ObjectStore(directory: directory), authority, clock: .fixed(at: start), random: random)
    }

    /// Signs and sends a request; `path` is encoded and may have a query.
    func call(
        _ method: HTTPRequest.Method, _ path: String, headers: [(String, String)] = [],
        body: [UInt8] = [], as caller: AWSCredentials? = nil, at signedAt: Instant = start
    ) throws -> HTTPResponse {
        let signed = try Signer(caller ?? developer, region: "eu-west-1", service: "s3").sign(
            HTTPRequest(
                method, "http://127.0.0.1:8001\(path)",
                headers: headers.map { HTTPHeader($0.0, $0.1) }, body: body), at: signedAt)
        return send(signed, path)
    }

    func send(_ request: HTTPRequest, _ target: String) -> HTTPResponse {
        service.answer(
            S3Call(
                ServiceCall(
                    method: request.method.rawValue, target: target, headers: request.headers,
                    body: request.body, sourceAddress: "127.0.0.1")))
    }

    @discardableResult
    func put(
        _ path: String, _ text: String, headers: [(String, String)] = []
    ) throws -> HTTPResponse {
        try call(.put, path, headers: headers, body: Array(text.utf8))
    }

    /// Credentials of a session.
    func session(until end: Instant = start + .hours(1)) throws -> AWSCredentials {
        let role = RoleSession(roleARN: "arn:aws:iam::123456789012:role/app", name: "s")
        return try authority.issue(IAMSession(issuedAt: start, expiresAt: end, role: role))
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }

    func document() throws -> XMLElement {
        try XMLElement.parse(
            body, limits: XMLLimits(bytesMax: 1 << 24, depthMax: 8, elementsMax: 100_000))
    }

    func expect(
        _ status: Int, _ code: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = code == nil ? nil : try document()["Code"]?.text
        #expect(self.status == status, "\(text)", sourceLocation: sourceLocation)
        #expect(found == code, sourceLocation: sourceLocation)
    }
}

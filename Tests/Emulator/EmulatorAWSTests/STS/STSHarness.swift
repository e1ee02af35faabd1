import AWSSignature
import BaseTestSupport
import EmulatorAWS
import JOSE
import XML

let account = "123456789012"
let roleARN = "arn:aws:iam::123456789012:role/app"
let issuer = "https://id.example/apple"
let start = Instant(seconds: 1_700_000_000)

/// An account with roles, an identity provider and two developers, and the service.
struct STSHarness {
    let service: STSService
    let authority: CredentialAuthority
    let provider: SigningKey
    let developer = AWSCredentials(
        accessKeyID: "AKIADEVELOPER0000000", secretAccessKey: SecretBytes(utf8: "secret"))
    let poor = AWSCredentials(
        accessKeyID: "AKIAPOOR000000000000", secretAccessKey: SecretBytes(utf8: "poor"))

    init(now: Instant = start, providerIsReachable: Bool = true) throws {
        let random = RandomSource.seeded(5)
        let key = try SigningKey.generate(.es256, random: random)
        provider = key
        let all = try Self.policy(#""Effect":"Allow","Action":"*","Resource":"*""#)
        let none = try Self.policy(#""Effect":"Deny","Action":"dynamodb:*","Resource":"*""#)
        let directory = IAMDirectory(
            account: account,
            accessKeys: [
                AccessKey(
                    id: developer.accessKeyID, secret: developer.secretAccessKey,
                    owner: .named("developer", account: account, policies: [all])),
                AccessKey(
                    id: poor.accessKeyID, secret: poor.secretAccessKey,
                    owner: .named("poor", account: account, policies: [none])),
            ], roles: try Self.roles(all),
            providers: [
                OpenIDProvider(issuer: issuer, audiences: ["com.example.app", "web"]),
                OpenIDProvider(builtIn: "accounts.google.com", issuer: "https://g.example"),
            ])
        authority = try CredentialAuthority(
            directory: directory, root: SecretBytes([UInt8](repeating: 3, count: 32)),
            random: random)
        service = STSService(
            authority,
            keys: IssuerKeys { _ throws(IssuerKeys.Failure) in
                guard providerIsReachable, let set = try? KeySet([key.verificationKey]) else {
                    throw .unreachable
                }
                return set
            }, clock: .fixed(at: now), random: random)
    }

    private static func roles(_ all: PolicyDocument) throws -> [IAMRole] {
        func role(_ name: String, _ trust: String..., seconds: Int64 = 3600) throws -> IAMRole {
            let statements = trust.map { #"{"Effect":"Allow",\#($0)}"# }.joined(separator: ",")
            return IAMRole(
                arn: "arn:aws:iam::\(account):role/\(name)",
                trust: try PolicyDocument(
                    parsing: #"{"Version":"2012-10-17","Statement":[\#(statements)]}"#, as: .trust),
                policies: [all], sessionSecondsMax: seconds)
        }
        let us = #""Principal":{"AWS":"\#(account)"}"#
        let apple =
            #""Principal":{"Federated":"arn:aws:iam::\#(account):oidc-provider/id.example/apple"}"#
        return [
            try role(
                "app", us + #","Action":["sts:AssumeRole","sts:TagSession"]"#, seconds: 43_200),
            try role("untagged", us + #","Action":"sts:AssumeRole""#),
            try role(
                "partner",
                us + #","Action":"sts:AssumeRole","Condition":"#
                    + #"{"StringEquals":{"sts:ExternalId":"e1"}}"#),
            try role(
                "web",
                apple + #","Action":["sts:AssumeRoleWithWebIdentity","sts:TagSession"],"#
                    + #""Condition":{"StringEquals":{"id.example/apple:aud":"com.example.app"}}"#),
            try role(
                "google",
                #""Principal":{"Federated":"accounts.google.com"},"#
                    + #""Action":"sts:AssumeRoleWithWebIdentity","Condition":{"StringEquals":"#
                    + #"{"accounts.google.com:aud":"azp-1","accounts.google.com:oaud":"aud-1"}}"#),
        ]
    }

    static func policy(_ members: String) throws -> PolicyDocument {
        try PolicyDocument(
            parsing: #"{"Version":"2012-10-17","Statement":[{\#(members)}]}"#, as: .identity)
    }

    /// Sends a form, signed if there are credentials.
    func call(
        _ action: String, _ parameters: [(String, String)] = [], as caller: AWSCredentials? = nil,
        at signedAt: Instant = start, version: String = "2011-06-15"
    ) throws -> STSTestResponse {
        let form = PercentEncoding.form([("Action", action), ("Version", version)] + parameters)
        var request = HTTPRequest(
            .post, "http://127.0.0.1:8001/",
            headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(form.utf8))
        if let caller {
            request = try Signer(caller, region: "us-east-1", service: "sts").sign(
                request, at: signedAt)
        }
        return try STSTestResponse(
            service.answer(
                STSCall(
                    ServiceCall(
                        method: "POST", target: "/", headers: request.headers, body: request.body,
                        sourceAddress: "127.0.0.1"))))
    }

    /// A token of the provider, valid unless `change` alters it.
    func token(_ change: (inout JSONObject) -> Void = { _ in }) throws -> String {
        var claims: JSONObject = [
            "iss": .string(issuer), "aud": "com.example.app", "sub": "u1",
            "iat": .number(start.seconds), "exp": .number(start.seconds + 600),
        ]
        change(&claims)
        return try JWT.sign(claims, with: provider, type: "JWT", includesKeyID: true)
    }

    func web(_ token: String, role: String = "web") throws -> STSTestResponse {
        try call(
            "AssumeRoleWithWebIdentity",
            [
                ("RoleArn", "arn:aws:iam::\(account):role/\(role)"), ("RoleSessionName", "u1"),
                ("WebIdentityToken", token),
            ])
    }
}

/// A parsed response.
struct STSTestResponse {
    let response: HTTPResponse
    let document: XMLElement

    init(_ response: HTTPResponse) throws {
        self.response = response
        document = try XMLElement.parse(response.body)
    }

    var code: String? { document["Error"]?["Code"]?.text }
    var message: String? { document["Error"]?["Message"]?.text }

    var result: XMLElement? { document.children.first { $0.name.hasSuffix("Result") } }

    func credentials() throws -> AWSCredentials {
        let keys = try #require(result?["Credentials"], "\(message ?? "")")
        return AWSCredentials(
            accessKeyID: try #require(keys["AccessKeyId"]).text,
            secretAccessKey: SecretBytes(utf8: try #require(keys["SecretAccessKey"]).text),
            sessionToken: SecretBytes(utf8: try #require(keys["SessionToken"]).text),
            expiresAt: Instant(iso8601: try #require(keys["Expiration"]).text))
    }

    func expect(
        _ status: Int, _ code: String, _ message: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == status, sourceLocation: sourceLocation)
        #expect(self.code == code, sourceLocation: sourceLocation)
        if let message { #expect(self.message == message, sourceLocation: sourceLocation) }
    }
}

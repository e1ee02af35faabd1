import AWSSignature
import AuthTestSupport
import DynamoDBStore
import HTTPClient
import TestSupport

/// Functions that reach everything through one proxy: the emulator's DynamoDB, S3, STS and SES, and
/// an emulated Apple.
struct InterruptibleDeployment: Sendable {
    let functions: Deployment
    let proxy: InterruptingProxy
    let apple: EmulatedApple
    private let table: String
    private let tableURL: String
    private let emulator: EmulatorProcess
    private let transport: HTTPTransport

    private static let bucket = "photos"
    private static let region = "us-east-1"
    private static let limits = HTTPLimits(
        connectMillisecondsMax: 20_000, totalMillisecondsMax: 60_000, responseBytesMax: 1 << 20)
    private static let emulator = Result { () throws -> EmulatorProcess in
        let folder = try TemporaryFolder()
        try folder.write(Array(template.utf8), to: "template.json")
        return try EmulatorProcess(template: folder.file("template.json"))
    }

    /// - Parameter tables: the emulation of DynamoDB; nil for that of the emulator that has the
    ///   other services.
    init(tables: DynamoDB? = nil) throws {
        let emulator = try Self.emulator.get()
        let tableURL = try tables?.url ?? emulator.awsURL
        let transport = CurlTransport(trust: CertificateTrust { _ in nil }).transport
        let apple = try EmulatedApple()
        proxy = try InterruptingProxy { request in
            if request.path.hasPrefix(EmulatedApple.prefix) { return apple.answer(request) }
            let isForTable = request.header("x-amz-target")?.hasPrefix("DynamoDB_") == true
            return Self.forward(request, to: isForTable ? tableURL : emulator.awsURL, transport)
        }
        table = "killed-\(Hex.encode(RandomSource.system.bytes(8)))"
        let key = EmulatorProcess.developerKey
        var functions = try Deployment(
            [
                ("CONTRACT", "latchkey"), ("AWS_REGION", Self.region),
                ("AWS_ACCESS_KEY_ID", key), ("AWS_SECRET_ACCESS_KEY", key), ("MAIL_URL", "ses"),
                ("MAIL_FROM", "no-reply@example.com"),
                ("LINK_BASE", "https://app.example.com/auth"), ("STORAGE_BUCKET", Self.bucket),
                ("STORAGE_ROLE_ARN", "arn:aws:iam::123456789012:role/storage"),
            ] + Deployment.dynamoDBSettings(table: table, url: proxy.url))
        functions.settings += try apple.settings(at: proxy.url, in: functions.folder)
        let store = try Deployment.store(table: table, url: tableURL, region: Self.region)
        try store.createTable()
        functions.remoteStore = store
        self.functions = functions
        self.apple = apple
        self.tableURL = tableURL
        self.emulator = emulator
        self.transport = transport
    }

    func stop() { proxy.stop() }

    /// The domain of its users' addresses: all deployments share one mailbox.
    var mailDomain: String { "\(table).example.com" }

    /// Forwards the request unchanged, with its `Host`, which is signed.
    private static func forward(
        _ request: HTTPRequestSeen, to url: String, _ transport: HTTPTransport
    ) -> HTTPResponse {
        guard let method = HTTPRequest.Method(rawValue: request.method),
            let response = try? transport.send(
                HTTPRequest(
                    method, url + request.target, headers: request.headers, body: request.body,
                    limits: limits))
        else { return HTTPResponse(status: 502) }
        let framing = ["content-length", "transfer-encoding", "connection"]
        return HTTPResponse(
            status: response.status,
            headers: response.headers.filter { !framing.contains($0.name) }, body: response.body)
    }

    private static let template = #"""
        {
          "Transform": "AWS::Serverless-2016-10-31",
          "Resources": {
            "Bucket": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "photos"}},
            "Role": {
              "Type": "AWS::IAM::Role",
              "Properties": {
                "RoleName": "storage",
                "AssumeRolePolicyDocument": {
                  "Version": "2012-10-17",
                  "Statement": [{
                    "Effect": "Allow",
                    "Principal": {"AWS": {"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:root"}},
                    "Action": ["sts:AssumeRole", "sts:TagSession"]
                  }]
                },
                "Policies": [{
                  "PolicyName": "Storage",
                  "PolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]
                  }
                }]
              }
            }
          }
        }
        """#
}

// MARK: Requests

extension InterruptibleDeployment {
    func run(_ function: String, _ body: JSON = [:], bearer: String? = nil) throws -> Answer {
        try functions.run(function, body, bearer: bearer)
    }

    func command(
        _ function: String, _ body: JSON = [:], to route: String? = nil, bearer: String? = nil
    ) -> Command {
        functions.command(function, body, to: route, bearer: bearer)
    }

    /// Housekeeping as its schedule invokes it.
    var housekeeping: Command {
        var command = functions.eventless("housekeeping")
        command.input = .bytes(Array("{}".utf8))
        return command
    }
}

// MARK: Time

extension InterruptibleDeployment {
    /// Ends the leases of interrupted work, as time would, and runs housekeeping.
    func keepHouse() throws {
        try endLeases()
        let result = try ChildProcess.run(housekeeping)
        try #require(result.end == .exit(0), "\(result.text)\n\(result.errorText)")
        let report = try JSON.parse(result.output, limits: .event)
        for job in ["mail", "deletions"] {
            expectEqual(report["jobs"]?[job]?["failed"], 0, "\(result.text)\n\(result.errorText)")
        }
        // No mail is left to be sent.
        #expect(try outbox().isEmpty)
    }

    func endLeases() throws {
        let store = try functions.store()
        let now = WallClock.system.now()
        for record in try outbox() {
            try store.write(record.moved(to: now, attempts: record.attempts).writes)
        }
        // Only deletions that were started and not completed: a second run is due later.
        for record in try deletions() where record.attempts > 0 {
            try store.write(record.moved(to: now, attempts: record.attempts).writes)
        }
    }

    private func outbox() throws -> [OutboxRecord] {
        let store = try functions.store()
        return try (0..<OutboxRecord.shards).flatMap { shard in
            try store.query(OutboxRecord.query(shard: shard, limit: 100)).items
                .map(OutboxRecord.init)
        }
    }

    func deletions() throws -> [DeletionRecord] {
        try functions.store().query(DeletionRecord.query(limit: 100)).items
            .map(DeletionRecord.init)
    }
}

// MARK: State

extension InterruptibleDeployment {
    /// The texts of the mails to an address, the oldest first.
    func mails(to address: String) throws -> [String] {
        let list = try ask("/_emulator/mail?to=\(address)")
        let ids = (list["messages"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
        return try ids.reversed().map { id in
            try #require(try ask("/_emulator/mail/\(id)")["text"]?.stringValue)
        }
    }

    /// The tokens of the links in these mails for one purpose, the oldest first. A message that was
    /// sent twice has the same token.
    func links(_ purpose: String, to address: String) throws -> [String] {
        var tokens: [String] = []
        for mail in try mails(to: address) {
            for match in mail.matches(of: /\/([a-z-]+)\?token=([A-Za-z0-9_-]{40,})/)
            where match.1 == purpose && !tokens.contains(String(match.2)) {
                tokens.append(String(match.2))
            }
        }
        return tokens
    }

    private func ask(_ path: String) throws -> JSON {
        let response = try transport.send(
            HTTPRequest(.get, emulator.appURL + path, limits: Self.limits))
        return try JSON.parse(response.body, limits: .response)
    }

    /// The number of accounts in the table, including those to which no other row refers.
    func accountCount() throws -> Int {
        let scan: JSON = [
            "TableName": .string(table), "FilterExpression": "sk = :profile", "Select": "COUNT",
            "ExpressionAttributeValues": [":profile": ["S": "PROFILE"]],
        ]
        let request = HTTPRequest(
            .post, tableURL,
            headers: [
                HTTPHeader("Content-Type", "application/x-amz-json-1.0"),
                HTTPHeader("X-Amz-Target", "DynamoDB_20120810.Scan"),
            ], body: scan.serialized, limits: Self.limits)
        let response = try transport.send(signed(request, for: "dynamodb"))
        let answer = try JSON.parse(response.body, limits: .response)
        return Int(try #require(answer["Count"]?.int64Value, "\(answer.text)"))
    }

    /// A request to the bucket with the developer's key.
    @discardableResult
    func storage(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = ""
    ) throws -> String {
        let request = HTTPRequest(
            method, "\(emulator.awsURL)/\(Self.bucket)\(path)", body: Array(body.utf8),
            limits: Self.limits)
        let response = try transport.send(signed(request, for: "s3"))
        try #require(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
        return String(decoding: response.body, as: UTF8.self)
    }

    /// With the developer's key.
    private func signed(_ request: HTTPRequest, for service: String) throws -> HTTPRequest {
        let key = EmulatorProcess.developerKey
        let signer = Signer(
            AWSCredentials(accessKeyID: key, secretAccessKey: SecretBytes(utf8: key)),
            region: Self.region, service: service)
        return try signer.sign(request, at: WallClock.system.now())
    }
}

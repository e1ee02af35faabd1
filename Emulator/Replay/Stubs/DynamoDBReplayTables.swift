internal import AWSSignature
internal import Bytes
package import Cryptography
internal import EmulatorBase
internal import EmulatorDynamoDB
package import HTTP
internal import JSON
package import Time

/// A DynamoDB in which each replayed fixture has its own table.
package final class DynamoDBReplayTables: ReplayTables {
    package let storeName = "dynamodb"
    private static let keys = [("pk", "HASH"), ("sk", "RANGE")]
    private static let targetPrefix = "DynamoDB_20120810."
    private static let contentType = "application/x-amz-json-1.0"

    private let url: String
    /// nil for an external DynamoDB.
    private let observed: ReplayCalls?
    private let observers: StoreCallObservers
    private let perform: @Sendable (_ target: String, _ body: [UInt8]) -> HTTPResponse?
    private let server: Server?

    /// The emulator's DynamoDB, on a loopback port, in memory. It verifies no signature, because
    /// the steps of a fixture can have any time.
    package init(clock: WallClock, random: RandomSource) throws(FixtureFailure) {
        do {
            let service = try DynamoDBService(.memory, clock: clock, random: random)
            let calls = ReplayCalls()
            let observers = StoreCallObservers()
            let server = try Server { request, slot in
                let asked = DynamoDBRequest(
                    method: request.method, target: request.header("x-amz-target"),
                    contentType: request.header("content-type"), body: request.body)
                let accesses = service.accesses(of: asked)
                calls.note(accesses, at: request.path)
                guard let observer = observers.observer(at: request.path) else {
                    slot.respond(ServerResponse(service.answer(asked)))
                    return
                }
                let call = StoreCall(
                    operation: asked.action, body: request.body,
                    partitions: accesses.flatMap { $0.leadingKeys ?? [""] }
                ) {
                    let (answer, units) = service.measured(asked)
                    return StoreCall.Result(response: ServerResponse(answer), units: units)
                }
                observer.handle(call, slot)
            }
            self.observers = observers
            url = "http://127.0.0.1:\(server.port)"
            self.server = server
            observed = calls
            perform = { target, body in
                let answer = service.answer(
                    DynamoDBRequest(target: target, contentType: Self.contentType, body: body))
                return HTTPResponse(status: answer.status, body: answer.body)
            }
        } catch {
            throw FixtureFailure("the DynamoDB of the replay cannot start: \(error)")
        }
    }

    /// An external DynamoDB, such as moto. Requests are signed like the functions' own.
    package init(
        at url: String, settings: FixtureSettings, transport: HTTPTransport, clock: WallClock
    ) {
        let signer = Signer(
            AWSCredentials(
                accessKeyID: settings.variable("AWS_ACCESS_KEY_ID") ?? "",
                secretAccessKey: SecretBytes(utf8: settings.variable("AWS_SECRET_ACCESS_KEY") ?? "")
            ),
            region: settings.variable("AWS_REGION") ?? "us-east-1", service: "dynamodb")
        self.url = url
        server = nil
        observed = nil
        observers = StoreCallObservers()
        perform = { target, body in
            let request = HTTPRequest(
                .post, url,
                headers: [
                    HTTPHeader("Content-Type", Self.contentType),
                    HTTPHeader("X-Amz-Target", target),
                ], body: body)
            return try? transport.send(try signer.sign(request, at: clock.now()))
        }
    }

    package func placeholders(of table: String) -> [(name: String, value: String)] {
        [("dynamodb", url), ("table", table)]
    }

    package func stop() { server?.stop() }

    package var calls: Set<UsedPermission> { observed?.all ?? [] }

    package func setting(
        _ value: String, of function: String, in contract: String, run: String?
    ) -> String {
        guard observed != nil, value.isSame(as: url) else { return value }
        return value + ReplayCalls.path(of: function, in: contract, run: run)
    }

    package func observe(_ run: String, by observer: (any StoreCallObserver)?) -> Bool {
        observers.set(observer, for: run)
        return observed != nil
    }

    /// Creates a table with the string keys `pk` and `sk`.
    package func create(_ name: String) throws(FixtureFailure) {
        let description: JSON = [
            "TableName": .string(name), "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": .array(
                Self.keys.map { ["AttributeName": .string($0.0), "AttributeType": "S"] }),
            "KeySchema": .array(
                Self.keys.map { ["AttributeName": .string($0.0), "KeyType": .string($0.1)] }),
        ]
        _ = try call("CreateTable", description)
    }

    package func copy(_ table: String, to other: String) throws(FixtureFailure) {
        var start: JSON?
        repeat {
            var scan: JSONObject = ["TableName": .string(table), "ConsistentRead": true]
            scan["ExclusiveStartKey"] = start
            let page = try call("Scan", .object(scan))
            for item in page["Items"]?.arrayValue ?? [] {
                _ = try call("PutItem", ["TableName": .string(other), "Item": item])
            }
            start = page["LastEvaluatedKey"]
        } while start != nil
    }

    package func delete(_ name: String) {
        _ = try? call("DeleteTable", ["TableName": .string(name)])
    }

    private func call(_ operation: String, _ body: JSON) throws(FixtureFailure) -> JSON {
        let answer = perform(Self.targetPrefix + operation, body.serialized)
        guard let answer, answer.status == 200,
            let json = try? JSON.parse(answer.body, limits: .response)
        else {
            let text = answer.map { String(decoding: $0.body, as: UTF8.self) } ?? "no answer"
            throw FixtureFailure("\(operation) failed at \(url): \(text)")
        }
        return json
    }
}

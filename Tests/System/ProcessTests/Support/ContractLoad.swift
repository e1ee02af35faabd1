import BaseTestSupport
import Foundation

/// Users of `latchkey --listen`, each of whom calls every operation in the contract's OpenAPI
/// document. New operations become part of the load without a change here.
final class ContractLoad: Sendable {
    private struct Route: Sendable {
        let method: String
        let path: String
        let members: [String]
    }

    private let routes: [Route]
    private let deployment: Deployment
    private let port: UInt16
    private let users = Atomic<Int>(0)
    private let seen = Mutex<[String: Set<Int>]>([:])

    /// These end the session or the account that the others need.
    private static let last = ["POST /auth/signout", "DELETE /auth/account"]
    /// These compute a password hash, so only some users call them.
    private static let hashing: Set = [
        "POST /auth/register", "POST /auth/login", "POST /auth/methods/password",
        "POST /auth/admin/login",
    ]
    private static let hashingEvery = 8
    private static let refreshes = 16

    init(_ deployment: Deployment, port: UInt16) throws {
        let url = RepositoryRoot.url.appending(path: "Functions/Templates/latchkey.openapi.json")
        let document = try JSON.parse(Array(Data(contentsOf: url)), limits: .event)
        var routes: [Route] = []
        for path in try #require(document["paths"]?.objectValue).members {
            for (method, operation) in path.value.objectValue?.members ?? [] {
                let content = operation["requestBody"]?["content"]?.objectValue?.members.first
                routes.append(
                    Route(
                        method: method.uppercased(), path: path.name,
                        members: Self.members(content?.value["schema"], in: document)))
            }
        }
        let names = Self.last
        self.routes =
            routes.filter { !names.contains("\($0.method) \($0.path)") }
            + names.compactMap { name in routes.first { "\($0.method) \($0.path)" == name } }
        self.deployment = deployment
        self.port = port
    }

    /// The names of all members of a body.
    private static func members(_ schema: JSON?, in document: JSON) -> [String] {
        guard let reference = schema?["$ref"]?.stringValue else {
            return schema?["properties"]?.objectValue?.members.map(\.name) ?? []
        }
        let target = reference.split(separator: "/").dropFirst().reduce(JSON?.some(document)) {
            $0?[String($1)]
        }
        return members(target, in: document)
    }

    /// Every operation, with the statuses of its answers.
    var answers: [String: Set<Int>] { seen.withLock { $0 } }
    var operations: [String] { routes.map { "\($0.method) \($0.path)" } }

    /// Lets `count` users call every operation, some of them at the same time.
    func run(users count: Int, threads: Int) throws {
        let left = Atomic<Int>(count)
        let failure = Mutex<(any Error)?>(nil)
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<threads {
            DetachedThread.run { [self] in
                defer { ended.signal() }
                do {
                    while left.subtract(1, ordering: .relaxed).newValue >= 0 { try live() }
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
        for _ in 0..<threads { ended.wait() }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private func live() throws {
        let number = users.add(1, ordering: .relaxed).newValue
        let subject = "user-\(number)"
        let client = try LoopbackClient(port: port)
        let signedIn = try ask(
            client, "POST", "/auth/signin", try deployment.signInBody(of: subject), nil)
        let session = try refreshed(signedIn.body, client)
        let access = session["accessToken"]?.stringValue
        for route in routes {
            let name = "\(route.method) \(route.path)"
            if Self.hashing.contains(name), number % Self.hashingEvery != 0 { continue }
            var body = JSONObject()
            for member in route.members {
                body[member] = try value(of: member, for: subject, session)
            }
            let path = route.path.replacing("{id}", with: "none").replacing(
                "{method}", with: "google")
            let answer = try ask(
                client, route.method, path, route.method == "GET" ? nil : .object(body), access)
            seen.withLock { _ = $0[name, default: []].insert(answer.status) }
        }
    }

    /// Refreshes, whose writes meet those of other users in the store.
    private func refreshed(_ session: JSON, _ client: LoopbackClient) throws -> JSON {
        var session = session
        for _ in 0..<Self.refreshes {
            var body = JSONObject()
            body["refreshToken"] = session["refreshToken"]
            let answer = try ask(client, "POST", "/auth/refresh", .object(body), nil)
            expectEqual(answer.status, 200)
            session = answer.body
        }
        return session
    }

    private func value(of member: String, for subject: String, _ session: JSON) throws -> JSON? {
        switch member {
        case "provider": "acme"
        case "idToken": .string(try deployment.idToken(of: subject))
        case "email": .string("\(subject)@example.com")
        case "password", "currentPassword", "newPassword": "a password of four words"
        case "refreshToken": session["refreshToken"]
        case "token", "ticket", "requestSecret", "payload": "0123456789"
        case "code": "123456"
        // All other members are optional.
        default: nil
        }
    }

    private func ask(
        _ client: LoopbackClient, _ method: String, _ path: String, _ body: JSON?,
        _ bearer: String?
    ) throws -> (status: Int, body: JSON) {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: a\r\n"
        if let bearer { head += "Authorization: Bearer \(bearer)\r\n" }
        let text = body?.text ?? ""
        if body != nil {
            head += "Content-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n"
        }
        client.send("\(head)\r\n\(text)")
        let answer = try #require(client.answer(), "\(method) \(path)")
        let json = try? JSON.parse(Array(answer.body.utf8), limits: .event)
        return (answer.status, json ?? .null)
    }
}

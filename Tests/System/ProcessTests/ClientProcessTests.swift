import AuthDomain
import Foundation
import TestSupport

/// The Swift client as processes, which are killed, and share a store of files.
@Suite("Swift client, with real processes", .serialized, .hangLimit)
struct ClientProcessTests {
    /// `latchkey` with all operations, and a proxy before it.
    private struct Server {
        let deployment: Deployment
        let process: HTTPProcess
        let proxy: HoldingProxy
        private let stores: TemporaryFolder

        init() throws {
            deployment = try Deployment([
                ("OMITTED_FUNCTIONS", "credentials,admin-login"),
                ("MAIL_URL", "smtp://127.0.0.1:9"),
                ("MAIL_FROM", "no-reply@example.com"), ("LINK_BASE", "https://app.example.com"),
                ("RATE_LIMITS", "off"),
            ])
            process = try HTTPProcess("latchkey", in: deployment)
            proxy = try HoldingProxy(to: process.port)
            stores = try TemporaryFolder()
        }

        func store(_ name: String) -> String { stores.file(name) }

        func client(_ store: String) throws -> ClientProcess {
            try ClientProcess("http://127.0.0.1:\(process.port)", store: store)
        }

        /// A stored session is of one origin: all processes of a test meet the same one.
        func clientOfProxy(_ store: String) throws -> ClientProcess {
            try ClientProcess(proxy.url, store: store)
        }

        func reuses(of user: UserID) throws -> Int {
            try deployment.auditCount(.refreshTokenReused, of: user)
        }
    }

    /// The steps of a refresh, those in the network first. At the end the session has refreshed
    /// twice if the first one was stored; otherwise the server repeats its answer.
    private static let steps: [(name: String, held: HoldingProxy.Moment?, refreshes: Int64)] = [
        ("request", .request, 1), ("answer", .answer, 1), ("beforeSending", nil, 1),
        ("afterAnswer", nil, 1), ("beforeSync", nil, 1), ("beforeRename", nil, 1),
        ("afterRename", nil, 2), ("afterStoring", nil, 2),
    ]

    @Test func `after kill -9 at any step of a refresh, the next start is signed in`() throws {
        let server = try Server()
        for step in Self.steps {
            let store = server.store(step.name)
            let client = try server.clientOfProxy(store)
            let user = try client.signIn(step.name, in: server.deployment)
            let first = try #require(try StoredSession(in: store))
            if let moment = step.held {
                server.proxy.hold(moment)
                client.send("refresh")
                try #require(server.proxy.isHolding())
                client.kill()
                server.proxy.release()
                // The request takes effect, although its client is dead.
                server.proxy.waitUntilIdle()
            } else {
                try client.refresh(upTo: step.name)
                client.kill()
            }

            let next = try server.clientOfProxy(store)
            try expectEqual(next.ask("restore"), user, "\(step.name)")
            try expectEqual(next.ask("refresh"), "done", "\(step.name)")
            try expectEqual(next.ask("profile"), user, "\(step.name)")
            let last = try #require(try StoredSession(in: store))
            expectEqual(last.tokens.session, first.tokens.session)
            let family = try #require(try server.deployment.family(of: first.tokens))
            expectEqual(family.generation, step.refreshes, "\(step.name)")
            try expectEqual(server.reuses(of: first.tokens.user), 0, "\(step.name)")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: store).allSatisfy {
                    ["session", "refresh.lock", "write.lock"].contains($0)
                }, "\(step.name)")
        }
        expectEqual(server.process.end().end, .exit(0))
    }

    @Test func `two processes with one store refresh 1,000 times, one successor each`() throws {
        let server = try Server()
        let store = server.store("shared")
        let clients = try (0..<2).map { _ in try server.client(store) }
        let user = try clients[0].signIn("ada", in: server.deployment)
        let first = try #require(try StoredSession(in: store)).tokens
        try expectEqual(clients[1].ask("restore"), user)
        for client in clients { client.send("rounds 500") }
        let answers = try clients.map { try $0.answer("rounds") }
        var successors: [Substring: Set<Substring>] = [:]
        for pair in answers.flatMap({ $0.split(separator: " ") }) {
            let tokens = pair.split(separator: ">")
            try #require(tokens.count == 2, "\(pair)")
            successors[tokens[0], default: []].insert(tokens[1])
        }
        expectEqual(successors.count, 1000)
        #expect(successors.values.allSatisfy { $0.count == 1 })
        // There is one chain, from the first token to the stored one.
        var token = first.refreshToken.suffix(16)
        for _ in 0..<1000 { token = successors[token]?.first ?? "none" }
        let last = try #require(try StoredSession(in: store))
        #expect(last.tokens.refreshToken.hasSuffix(token))
        expectEqual(last.generation, 1000)
        try expectEqual(server.deployment.family(of: first)?.generation, 1000)
        for client in clients { try expectEqual(client.ask("profile"), user) }
        try expectEqual(server.reuses(of: first.user), 0)
    }

    @Test func `a sign-out in one process takes precedence over a refresh in another`() throws {
        let server = try Server()
        for step in Self.steps {
            let store = server.store(step.name)
            let refreshing = try server.clientOfProxy(store)
            let user = try refreshing.signIn(step.name, in: server.deployment)
            let session = try #require(try StoredSession(in: store)).tokens
            let leaving = try server.clientOfProxy(store)
            try expectEqual(leaving.ask("restore"), user)
            if let moment = step.held {
                server.proxy.hold(moment)
                refreshing.send("refresh")
                try #require(server.proxy.isHolding())
            } else {
                try refreshing.refresh(upTo: step.name)
            }
            leaving.send("sign-out")
            // While the file is written, the sign-out waits for that.
            let isWriting = ["beforeSync", "beforeRename", "afterRename"].contains(step.name)
            if !isWriting {
                try expectEqual(
                    leaving.answer("sign-out"), "server done, store done", "\(step.name)")
            }
            if step.held == nil { refreshing.send("go") } else { server.proxy.release() }
            if isWriting {
                try expectEqual(
                    leaving.answer("sign-out"), "server done, store done", "\(step.name)")
            }
            _ = try refreshing.answer("refresh")

            #expect(try StoredSession(in: store) == nil, "\(step.name)")
            try expectEqual(leaving.ask("restore"), "no session")
            try expectEqual(refreshing.ask("restore"), "no session", "\(step.name)")
            #expect(try refreshing.ask("profile").hasPrefix("failed"), "\(step.name)")
            try expectEqual(server.clientOfProxy(store).ask("restore"), "no session")
            try expectEqual(server.deployment.family(of: session), nil, "\(step.name)")
            try expectEqual(server.reuses(of: session.user), 0, "\(step.name)")
        }
    }
}

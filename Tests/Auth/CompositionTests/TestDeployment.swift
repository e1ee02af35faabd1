import AuthTestSupport
import Foundation
import Synchronization

/// A temporary directory and a fake network, and functions created from settings.
final class TestDeployment: Sendable {
    let folder: URL
    let requests = Mutex<[HTTPRequest]>([])
    let lines = Mutex<[String]>([])
    private let answer: @Sendable (HTTPRequest) throws(HTTPFailure) -> HTTPResponse

    init(
        answer: @escaping @Sendable (HTTPRequest) throws(HTTPFailure) -> HTTPResponse = {
            _ throws(HTTPFailure) in throw .connectFailed(detail: "there is no network here")
        }
    ) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.answer = answer
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func write(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        return path(name)
    }

    func assembly(
        _ settings: [String: String], seed: UInt64 = 1, clock: TestClock = TestClock()
    ) -> Assembly {
        Assembly(
            environment: Environment(settings.map { ($0.key, $0.value) }), clock: clock.wall,
            random: .seeded(seed),
            transport: HTTPTransport { request throws(HTTPFailure) in
                self.requests.withLock { $0.append(request) }
                return try self.answer(request)
            }, sleep: { _ in }, sharedFolder: folder.path)
    }

    var log: Log {
        Log(level: .info) { line in
            self.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
    }

    func handler(
        _ settings: [String: String], of function: String, seed: UInt64 = 1
    ) throws(StartFailure) -> Handler {
        try LatchkeyFunction.handler(of: function, assembly(settings, seed: seed), log)
    }

    /// The problems of `settings`; empty if there are none.
    func problems(_ settings: [String: String], of function: String = "refresh") -> [String] {
        do {
            _ = try handler(settings, of: function)
            return []
        } catch {
            return error.problems
        }
    }

    func post(_ handler: Handler, _ path: String, _ body: String) -> Reply? {
        guard case .request(let serve) = handler.kind else { return nil }
        return serve(
            Request(
                method: "POST", path: path, body: Array(body.utf8), sourceAddress: "192.0.2.1",
                requestID: "1"))
    }

    func direct(_ handler: Handler, _ payload: JSONObject) -> Reply? {
        guard case .request(let serve) = handler.kind else { return nil }
        return serve(Request(form: .direct, payload: payload, requestID: "1"))
    }

    func get(_ handler: Handler, _ path: String) -> Reply? {
        guard case .request(let serve) = handler.kind else { return nil }
        return serve(Request(method: "GET", path: path, requestID: "1"))
    }
}

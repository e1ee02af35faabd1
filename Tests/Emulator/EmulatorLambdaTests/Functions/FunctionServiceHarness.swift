import BaseTestSupport
import EmulatorBase
import EmulatorLambda
import Foundation

/// A service with one function, `subject`, written in Python.
struct FunctionServiceHarness {
    let supervisor: ProcessSupervisor
    let service: FunctionService

    static let command =
        SystemPython.words + [
            URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Programs/function.py").path
        ]

    static func definition(
        _ name: String = "subject", mode: FunctionConfiguration.Mode = .warm,
        environment: [(name: String, value: String)] = [], timeoutMilliseconds: Int = 20_000,
        memoryMegabytes: Int = 256, reservedConcurrency: Int? = nil
    ) -> FunctionConfiguration {
        FunctionConfiguration(
            name: name, command: command, handler: "a.handler",
            environment: environment, directory: "/tmp",
            timeoutMilliseconds: timeoutMilliseconds, memoryMegabytes: memoryMegabytes,
            reservedConcurrency: reservedConcurrency, mode: mode)
    }

    init(
        _ definitions: [FunctionConfiguration], settings: FunctionSettings = FunctionSettings(),
        sink: FunctionLogSink? = nil
    ) throws {
        supervisor = try ProcessSupervisor()
        service = try FunctionService(
            definitions, settings: settings, supervisor: supervisor, clock: .system,
            random: .system, sink: sink)
    }

    func invoke(
        _ payload: String, function: String = "subject", wantsLog: Bool = false,
        clientContext: String? = nil
    ) throws -> InvocationResult {
        let pending = PendingResult()
        start(
            payload, pending, function: function, wantsLog: wantsLog,
            clientContext: clientContext)
        return try #require(pending.wait())
    }

    func start(
        _ payload: String, _ pending: PendingResult, function: String = "subject",
        wantsLog: Bool = false, clientContext: String? = nil
    ) {
        service.invoke(
            function,
            InvocationRequest(
                payload: Array(payload.utf8), clientContext: clientContext, wantsLog: wantsLog)
        ) { pending.fill($0) }
    }
}

/// A pending result.
final class PendingResult: Sendable {
    private let result = Mutex<InvocationResult?>(nil)

    func fill(_ result: InvocationResult) { self.result.withLock { $0 = result } }

    var isFilled: Bool { result.withLock { $0 != nil } }

    /// nil after two minutes.
    func wait() -> InvocationResult? {
        _ = eventually { isFilled }
        return result.withLock { $0 }
    }
}

func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<120_000 {
        if condition() { return true }
        usleep(1000)
    }
    return false
}

extension InvocationResult {
    var text: String {
        switch outcome {
        case .answered(let body), .failed(let body): String(decoding: body, as: UTF8.self)
        case .throttled(let reason): reason
        case .unknownFunction: "unknown"
        }
    }

    var isFailed: Bool { if case .answered = outcome { false } else { true } }

    var error: (type: String?, message: String?) {
        let object = try? JSON.parse(Array(text.utf8), limits: .event)
        return (object?["errorType"]?.stringValue, object?["errorMessage"]?.stringValue)
    }
}

/// Zombie children of this process that ran a program. Tests of other suites fork this process
/// itself, and wait for its copies later.
func zombies() -> [String] {
    let own = (try? String(contentsOfFile: "/proc/self/comm", encoding: .utf8)) ?? ""
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.filter { entry in
        guard Int32(entry) != nil,
            let stat = try? String(contentsOfFile: "/proc/\(entry)/stat", encoding: .utf8),
            let bracket = stat.lastIndex(of: ")"),
            !stat[..<bracket].hasSuffix("(" + own.trimmingCharacters(in: .newlines))
        else { return false }
        let fields = stat[bracket...].split(separator: " ")
        return fields.count > 2 && fields[1] == "Z" && Int32(fields[2]) == getpid()
    }
}

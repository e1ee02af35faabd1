import BaseTestSupport
import Foundation

/// `check-metrics.py`: reads metrics with prometheus_client, and with the schema of CloudWatch.
enum MetricsJudge {
    enum Format: String { case openmetrics, emf, rules, dashboard }

    /// The values by name and labels: `latchkey_mail_total{kind=magicLink,outcome=sent}`.
    static func read(_ text: String, as format: Format) throws -> [String: JSON] {
        let script = RepositoryRoot.url.appending(
            path: "Tests/System/ProcessTests/check-metrics.py")
        var command = Command(
            try VirtualEnvironment.program("python"),
            [script.path(percentEncoded: false), format.rawValue])
        command.input = .bytes(Array(text.utf8))
        let result = try ChildProcess.run(command)
        try #require(result.end == .exit(0), "\(result.errorText)\n\(text)")
        let read = try JSON.parse(result.output, limits: .event)
        return Dictionary(
            uniqueKeysWithValues: (read.objectValue?.members ?? []).map { ($0.name, $0.value) })
    }
}

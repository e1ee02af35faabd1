internal import EmulatorBase
internal import EmulatorLambda
internal import Synchronization

/// Watches the templates, the environment file and the code of interpreted functions, and reloads
/// when they change. The process pools notice rebuilt executables themselves, at the next request,
/// and also edited code if the kernel reports it.
final class TemplateWatcher: Sendable {
    private struct Seen: Equatable {
        let templates: [FileStamp?]
        let environment: FileStamp?
        let code: [CodeFolder.Stamp]
        let codeVersion: Int?

        /// Whether there are changes that the pools do not notice themselves.
        func needsReload(after other: Seen) -> Bool {
            templates != other.templates || environment != other.environment
                || code != other.code && codeVersion == other.codeVersion
        }
    }

    private let services: EmulatorServices
    private let console: Console
    private let timer: Mutex<RepeatingTimer?> = Mutex(nil)

    private static let tickMilliseconds = 300

    init(_ services: EmulatorServices, _ console: Console) {
        self.services = services
        self.console = console
    }

    func start() {
        let last = Mutex(look())
        timer.withLock { timer in
            timer = RepeatingTimer(everyMilliseconds: Self.tickMilliseconds) { [weak self] in
                guard let self else { return }
                let now = look()
                let isNew = last.withLock { last in
                    defer { last = now }
                    return now.needsReload(after: last)
                }
                if isNew { reload() }
            }
        }
    }

    func stop() { timer.withLock { $0?.stop() } }

    private func look() -> Seen {
        Seen(
            templates: services.templateFiles.stamps,
            environment: services.options.environmentFile.flatMap { FileStamp(path: $0) },
            code: services.stack?.loaded.template.codeFolders.map(\.stamp) ?? [],
            codeVersion: services.codeWatch?.version)
    }

    private func reload() {
        do {
            let stack = try services.load()
            let count = stack.definitions.count
            console.print("reloaded: \(count == 1 ? "1 function" : "\(count) functions")")
            for warning in stack.warnings { console.complain("warning: \(warning)") }
        } catch {
            console.complain("not reloaded: \(error)")
        }
    }
}

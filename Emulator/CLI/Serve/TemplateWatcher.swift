internal import EmulatorProcesses
internal import Synchronization

/// Watches the template and the environment file and reloads them when they change. Rebuilt
/// executables are detected by the process pools at the next request.
final class TemplateWatcher: Sendable {
    private struct Seen: Equatable {
        let template: FileStamp?
        let environment: FileStamp?
    }

    private let world: EmulatorServices
    private let console: Console
    private let timer: Mutex<RepeatingTimer?> = Mutex(nil)

    private static let tickMilliseconds = 300

    init(_ world: EmulatorServices, _ console: Console) {
        self.world = world
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
                    return now != last
                }
                if isNew { reload() }
            }
        }
    }

    func stop() { timer.withLock { $0?.stop() } }

    private func look() -> Seen {
        Seen(
            template: world.templateFile.stamp,
            environment: world.options.environmentFile.flatMap { FileStamp(path: $0) })
    }

    private func reload() {
        do {
            let stack = try world.load()
            console.print("reloaded: \(stack.definitions.count) functions")
            for warning in stack.warnings { console.complain("warning: \(warning)") }
        } catch {
            console.complain("not reloaded: \(error)")
        }
    }
}

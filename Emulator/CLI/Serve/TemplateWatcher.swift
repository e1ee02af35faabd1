internal import EmulatorProcesses
internal import Synchronization

/// Looks whether the template or the environment file has changed, and serves what they say now.
/// A rebuilt executable needs nothing of this: the pools see it with the next request.
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
            console.print("changed: \(stack.definitions.count) functions are served anew")
            for warning in stack.warnings { console.complain("warning: \(warning)") }
        } catch {
            console.complain("not changed: \(error)")
        }
    }
}

/// The functions that run nested in each other: while one waits for the store, another may begin.
final class RunningFunctions {
    private let context: SimulationContext
    /// Whether other functions may run while this one waits for the store.
    var admitsOthers = true
    /// Whether the function holds a lock. Another function on this thread would wait for the lock
    /// forever.
    var holdsLock = false
    /// The percentage of store calls that take so long that other requests begin.
    var slowness: UInt64 = 0
    private(set) var depth = 0
    /// Killed functions, by their depth.
    private var killed: Set<Int> = []
    /// Functions of the former release, by their depth.
    private var former: Set<Int> = []
    /// Functions whose request a hook of the app has refused, by their depth.
    private var refused: Set<Int> = []
    /// The share of functions of the former release that serve requests now.
    var formerShare = FormerRelease.Share.none

    private static let depthMax = 3

    init(_ context: SimulationContext) { self.context = context }

    /// The number of functions that have begun.
    private(set) var begun = 0

    func begin() {
        begun += 1
        depth += 1
    }

    func end() {
        killed.remove(depth)
        if !refused.isEmpty { refused.remove(depth) }
        if !former.isEmpty { former.remove(depth) }
        depth -= 1
    }

    /// Decides whether the innermost function runs the code of the former release.
    func chooseRelease() {
        switch formerShare {
        case .none: break
        case .some: if context.happens(percent: 50) { former.insert(depth) }
        case .all: former.insert(depth)
        }
    }

    var isFormer: Bool { former.contains(depth) }

    /// Kills the innermost function.
    func kill() { killed.insert(depth) }

    var isKilled: Bool { killed.contains(depth) }

    /// A hook refuses the request of the innermost function.
    func refuse() { refused.insert(depth) }

    var isRefused: Bool { refused.contains(depth) }

    /// Waits for a response of the store, while other functions may run.
    func waitForStore() {
        context.scheduler.count(4)
        guard admitsOthers, !holdsLock, depth > 0, depth < Self.depthMax else { return }
        if context.happens(percent: 50) {
            context.scheduler.deliverAnotherMessage()
        } else if context.happens(percent: slowness) {
            context.scheduler.letOthersGoOn()
        }
    }
}

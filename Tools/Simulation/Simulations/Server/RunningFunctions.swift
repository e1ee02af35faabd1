/// The functions that run, inside of each other: while one of them waits for the store, another one
/// may begin.
final class RunningFunctions {
    private let context: SimulationContext
    /// Whether other functions may run meanwhile.
    var admitsOthers = true
    /// The function holds a lock, for which no other one of this thread can wait.
    var holdsLock = false
    /// How often a call takes so long that requests begin meanwhile, in percent.
    var slowness: UInt64 = 0
    private(set) var depth = 0
    /// Killed functions, by their depth.
    private var killed: Set<Int> = []
    /// Functions of the former release, by their depth.
    private var former: Set<Int> = []
    /// Functions whose request a hook of the app has refused, by their depth.
    private var refused: Set<Int> = []
    /// How many serve requests now.
    var formerShare = FormerRelease.Share.none

    private static let depthMax = 3

    init(_ context: SimulationContext) { self.context = context }

    /// How many have begun.
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

    /// The innermost one serves a request, maybe with the code of the former release.
    func chooseRelease() {
        switch formerShare {
        case .none: break
        case .some: if context.happens(percent: 50) { former.insert(depth) }
        case .all: former.insert(depth)
        }
    }

    var isFormer: Bool { former.contains(depth) }

    /// The innermost one ends at once.
    func kill() { killed.insert(depth) }

    var isKilled: Bool { killed.contains(depth) }

    /// A hook refuses the request of the innermost one.
    func refuse() { refused.insert(depth) }

    var isRefused: Bool { refused.contains(depth) }

    /// A request to the store takes its time, in which others run.
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

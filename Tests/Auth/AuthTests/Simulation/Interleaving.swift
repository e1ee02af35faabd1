import AuthTestSupport
import Dispatch
import Foundation
import Glibc
import Synchronization

/// Runs several synchronous operations as if they were processes on different machines: one of
/// them moves at a time, to its next store call, and a seed decides which. Every interleaving of
/// store calls can come up, and the same seed brings it up again.
enum Stage {
    /// Performs all of `bodies`, interleaved by `random`.
    static func perform(_ bodies: [@Sendable () -> Void], _ random: inout SplitMix64) {
        // Alone, an operation has nobody to wait for.
        if bodies.count == 1 { return bodies[0]() }
        let players = Player.borrow(bodies.count)
        let play = Play(players, random)
        for (player, body) in zip(players, bodies) { player.prepare(body, in: play) }
        play.begin()
        random = play.random
        Player.giveBack(players)
    }

    /// Lets the others go first; called from inside a body, before each store call.
    static func pause() { Player.current?.pause() }
}

/// One performance. Sound without locks, because `turn` and `done` hand everything over between
/// two threads at a time: only the one whose turn it is touches it.
private final class Play: @unchecked Sendable {
    private var running: [Player]
    private let done = DispatchSemaphore(value: 0)
    private(set) var random: SplitMix64

    init(_ players: [Player], _ random: SplitMix64) {
        running = players
        self.random = random
    }

    func begin() {
        next().turn.signal()
        done.wait()
    }

    private func next() -> Player { running[Int(random.next(below: UInt64(running.count)))] }

    /// Hands the turn to whoever is drawn; to oneself costs nothing.
    func pause(_ player: Player) {
        guard running.count > 1 else { return }
        let next = next()
        guard next !== player else { return }
        next.turn.signal()
        player.turn.wait()
    }

    func leave(_ player: Player) {
        running.removeAll { $0 === player }
        if running.isEmpty { done.signal() } else { next().turn.signal() }
    }
}

/// A thread that plays one operation after another: making a thread for each would cost more than
/// the operation.
private final class Player: @unchecked Sendable {
    /// Which player the thread of a store call belongs to.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static var current: Player? {
        pthread_getspecific(key).map { Unmanaged<Player>.fromOpaque($0).takeUnretainedValue() }
    }

    let turn = DispatchSemaphore(value: 0)
    private let work = DispatchSemaphore(value: 0)
    private var body: (@Sendable () -> Void)?
    private var play: Play?

    private static let idle = Mutex<[Player]>([])

    static func borrow(_ count: Int) -> [Player] {
        let found = idle.withLock { idle in
            let found = Array(idle.suffix(count))
            idle.removeLast(found.count)
            return found
        }
        return found
            + (found.count..<count).map { _ in
                let player = Player()
                let thread = Thread { player.playForever() }
                thread.stackSize = 512 << 10
                thread.start()
                return player
            }
    }

    static func giveBack(_ players: [Player]) { idle.withLock { $0 += players } }

    func prepare(_ body: @escaping @Sendable () -> Void, in play: Play) {
        self.body = body
        self.play = play
        work.signal()
    }

    func pause() { play?.pause(self) }

    /// The thread keeps its player alive, and both last until the process ends.
    private func playForever() {
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        while true {
            work.wait()
            turn.wait()
            let play = play
            body?()
            body = nil
            self.play = nil
            play?.leave(self)
        }
    }
}

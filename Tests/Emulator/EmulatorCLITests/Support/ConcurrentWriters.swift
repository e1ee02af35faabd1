import BaseTestSupport
import Foundation

/// Clients of an emulator, each on its own thread, until it no longer responds.
final class ConcurrentWriters: Sendable {
    private let group = DispatchGroup()
    private let writers: [any Writer]
    private let counts: [Int]

    /// `hanging` names functions that are invoked and do not respond.
    init(_ emulator: EmulatorProcess, _ writers: [any Writer], hanging: [String] = []) {
        self.writers = writers
        counts = writers.map(\.acknowledgedCount)
        for writer in writers {
            run {
                let caller = EmulatorClient(emulator)
                do { while true { try writer.step(caller) } } catch {}
            }
        }
        for function in hanging {
            run { _ = try? EmulatorClient(emulator).invoke(function, "{}") }
        }
    }

    /// Whether each of them has completed a write.
    var isUnderWay: Bool {
        zip(writers, counts).allSatisfy { $0.acknowledgedCount > $1 }
    }

    func waitForEnd() { group.wait() }

    private func run(_ body: @escaping @Sendable () -> Void) {
        group.enter()
        DetachedThread.run { [group] in
            body()
            group.leave()
        }
    }
}

/// Random delays that can be reproduced by their seed.
struct RandomDelays: Sendable {
    let seed: UInt64
    private let random: RandomSource

    init() {
        seed = RandomSource.system.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
        random = .seeded(seed)
    }

    func wait(millisecondsMax: Double) {
        let fraction = random.bytes(2).reduce(0) { $0 * 256 + Double($1) } / 65536
        usleep(UInt32(millisecondsMax * 1000 * fraction))
    }
}

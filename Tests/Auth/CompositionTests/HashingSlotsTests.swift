import AuthTestSupport
import Foundation

@Suite("Hashing slots") struct HashingSlotsTests {
    private func slots(
        _ folder: TemporaryFolder, _ count: Int,
        waitMilliseconds: Int = HashingSlots.waitMillisecondsMax,
        _ sleep: @escaping @Sendable () -> Void = {}
    ) -> HashingSlots {
        HashingSlots(folder: folder.path, count: count, waitMillisecondsMax: waitMilliseconds) {
            _ in sleep()
        }
    }

    @Test func `as many threads enter as there are slots, another when one leaves`() throws {
        let folder = try TemporaryFolder()
        let slots = slots(folder, 2, waitMilliseconds: 20)
        let first = try #require(slots.enter())
        let second = try #require(slots.enter())
        #expect(slots.enter() == nil)
        first()
        let third = try #require(slots.enter())
        #expect(slots.enter() == nil)
        second()
        third()
        #expect(slots.enter() != nil)
    }

    @Test func `a caller waits, and gives up after five seconds`() throws {
        let folder = try TemporaryFolder()
        let held = try #require(slots(folder, 1).enter())
        let waits = Atomic(0)
        #expect(slots(folder, 1) { waits.add(1, ordering: .relaxed) }.enter() == nil)
        expectEqual(waits.load(ordering: .relaxed), 1_000)

        let released = Atomic(0)
        let late = slots(folder, 1) {
            if released.add(1, ordering: .relaxed).newValue == 3 { held() }
        }
        #expect(late.enter() != nil)
        expectEqual(released.load(ordering: .relaxed), 3)
    }

    @Test func `a waiting thread enters when another one of the process leaves`() throws {
        let folder = try TemporaryFolder()
        let sleeps = Atomic(0)
        let slots = slots(folder, 1) { sleeps.add(1, ordering: .relaxed) }
        let held = try #require(slots.enter())
        let hasEntered = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            slots.enter()?()
            hasEntered.signal()
        }
        while slots.waitingCount == 0 { usleep(1_000) }
        held()
        hasEntered.wait()
        expectEqual(sleeps.load(ordering: .relaxed), 0)
    }

    @Test func `waiting threads enter in order of arrival`() throws {
        let folder = try TemporaryFolder()
        let slots = slots(folder, 1)
        let held = try #require(slots.enter())
        let order = Mutex<[Int]>([])
        let group = DispatchGroup()
        for number in 0..<6 {
            group.enter()
            Thread.detachNewThread {
                let leave = slots.enter()
                order.withLock { $0.append(number) }
                // The one that leaves would be the first to enter again.
                leave?()
                if number == 0 { slots.enter()?() }
                group.leave()
            }
            // The next one comes later.
            while slots.waitingCount <= number { usleep(1_000) }
        }
        held()
        group.wait()
        expectEqual(order.withLock { $0 }, Array(0..<6))
    }

    @Test func `without a writable folder, slots are limited within the process`() throws {
        let slots = HashingSlots(
            folder: "/proc/nowhere", count: 2, waitMillisecondsMax: 20, sleep: { _ in })
        let first = try #require(slots.enter())
        let second = try #require(slots.enter())
        #expect(slots.enter() == nil)
        first()
        #expect(slots.enter() != nil)
        second()
    }

    /// Another user's files cannot be opened; these are not files at all.
    @Test func `planted files do not lift the limit`() throws {
        let folder = try TemporaryFolder()
        for index in 0..<2 {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/latchkey-\(getuid())-hashing-\(index)",
                withIntermediateDirectories: false)
        }
        let slots = slots(folder, 2, waitMilliseconds: 20)
        let places = (0..<2).compactMap { _ in slots.enter() }
        expectEqual(places.count, 2)
        #expect(slots.enter() == nil)
    }

    @Test func `a planted link is not followed`() throws {
        let folder = try TemporaryFolder()
        let target = folder.path + "/target"
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/latchkey-\(getuid())-hashing-0",
            withDestinationPath: target)
        #expect(slots(folder, 1).enter() != nil)
        #expect(!FileManager.default.fileExists(atPath: target))
    }
}

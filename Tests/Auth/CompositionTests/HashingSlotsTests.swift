import AuthOperations
import Foundation
import Synchronization
import TestSupport
import Testing
import Time

@testable import AuthComposition

@Suite("Hashing slots") struct HashingSlotsTests {
    private func slots(
        _ folder: TemporaryFolder, _ count: Int, _ sleep: @escaping @Sendable () -> Void = {}
    ) -> HashingSlots {
        HashingSlots(folder: folder.path, count: count) { _ in sleep() }
    }

    @Test func `as many enter as there are places, and the next when one leaves`() throws {
        let folder = try TemporaryFolder()
        let slots = slots(folder, 2).limit
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
        let held = try #require(slots(folder, 1).limit.enter())
        let waits = Atomic(0)
        #expect(slots(folder, 1) { waits.add(1, ordering: .relaxed) }.limit.enter() == nil)
        #expect(waits.load(ordering: .relaxed) == 500)

        let released = Atomic(0)
        let late = slots(folder, 1) {
            if released.add(1, ordering: .relaxed).newValue == 3 { held() }
        }
        #expect(late.limit.enter() != nil)
        #expect(released.load(ordering: .relaxed) == 3)
    }

    @Test func `without a folder that can be written nothing is bounded`() {
        let slots = HashingSlots(folder: "/proc/nowhere", count: 1) { _ in }
        #expect(slots.limit.enter() != nil)
        #expect(slots.limit.enter() != nil)
    }

    @Test func `a planted link is not followed`() throws {
        let folder = try TemporaryFolder()
        let target = folder.path + "/target"
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/latchkey-\(getuid())-hashing-0",
            withDestinationPath: target)
        #expect(slots(folder, 1).limit.enter() != nil)
        #expect(!FileManager.default.fileExists(atPath: target))
    }
}

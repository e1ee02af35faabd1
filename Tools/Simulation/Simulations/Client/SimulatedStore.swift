import Foundation
import LatchkeyClient
import Time

/// The storage of a device, which outlives its apps: one record, and the lock for refreshing.
final class DeviceDisk {
    struct Flaws {
        /// A planted bug: reports a record as stored before it is, so that killing the app loses
        /// it.
        var answersEarly = false
        /// A planted bug: replaces the record without comparing it.
        var ignoresExpected = false
        /// A planted bug: sometimes returns the record before the last change.
        var readsStale = false
        /// A planted bug: reports the record as removed, but keeps it.
        var keepsRemoved = false
        /// A planted bug: reports that there is no record while the device is locked.
        var hidesWhenLocked = false
    }

    var record: Data?
    private(set) var previous: Data?
    /// A record that was reported as stored, but is not stored yet.
    private var unwritten: Data??
    var flaws = Flaws()
    /// How often a write has failed since the latest record was stored.
    fileprivate var failures = 0
    /// Whether the app with the latest tokens failed to store these tokens and the previous ones.
    /// Other apps then have only spent tokens.
    var isBehind: Bool { failures > 1 }
    /// Whether something has failed since the latest record was stored: a write, or a read that may
    /// have preceded a write. Only the app may then know what it should have written.
    fileprivate(set) var isIncomplete = false
    var isLocked = false
    fileprivate struct Ticket {
        let number: Int
        let process: Int
        var taken: () -> Void = {}
    }
    fileprivate var holder: Ticket?
    fileprivate var queue: [Ticket] = []

    /// The record that a reader gets.
    fileprivate var current: Data? { unwritten ?? record }

    fileprivate func write(_ new: Data?) {
        if new == nil, flaws.keepsRemoved { return }
        previous = current
        if flaws.answersEarly {
            if let unwritten { record = unwritten }
            unwritten = .some(new)
        } else {
            record = new
        }
    }

    /// Releases the locks of a process that has ended, as the system does.
    func release(locksOf process: Int) {
        unwritten = nil
        queue.removeAll { $0.process == process }
        if holder?.process == process { pass() }
    }

    fileprivate func release(_ number: Int) {
        queue.removeAll { $0.number == number }
        if holder?.number == number { pass() }
    }

    private func pass() {
        holder = queue.isEmpty ? nil : queue.removeFirst()
        holder?.taken()
    }
}

/// The store of one app on a device.
final class SimulatedStore: SessionStore, @unchecked Sendable {
    private let context: SimulationContext
    private let disk: DeviceDisk
    private let process: Int

    init(_ context: SimulationContext, _ disk: DeviceDisk, process: Int) {
        self.context = context
        self.disk = disk
        self.process = process
    }

    func load() async throws(StoreError) -> Data? {
        try await wait()
        if disk.isLocked || context.happens(.deviceLocked) {
            if disk.flaws.hidesWhenLocked { return nil }
            disk.isIncomplete = true
            throw .locked
        }
        if disk.flaws.readsStale, context.happens(percent: 30) { return disk.previous }
        return disk.current
    }

    func replace(_ expected: Data?, with new: Data?) async throws(StoreError) -> Bool {
        try await wait()
        if disk.isLocked {
            disk.isIncomplete = true
            throw .locked
        }
        if context.happens(.deviceFull) {
            disk.failures += 1
            disk.isIncomplete = true
            throw .failed("the disk is full")
        }
        guard disk.current == expected || disk.flaws.ignoresExpected else { return false }
        disk.write(new)
        disk.failures = 0
        disk.isIncomplete = false
        try await wait()
        return true
    }

    func lockRefresh(waiting: Duration) async throws(StoreError) -> any RefreshLock {
        try await wait()
        var ticket = DeviceDisk.Ticket(number: context.nextNumber(), process: process)
        let number = ticket.number
        if disk.holder == nil {
            disk.holder = ticket
            return Lock(disk, number)
        }
        let isMine = await withCheckedContinuation { waiter in
            let event = Scheduler.Event(
                process: process,
                happen: { [disk] in
                    disk.release(number)
                    waiter.resume(returning: false)
                },
                abandon: { [disk] in
                    disk.release(number)
                    waiter.resume(returning: false)
                })
            let timer = context.scheduler.startTimer(
                process, after: .milliseconds(Int64(waiting / .milliseconds(1))), event)
            ticket.taken = { [context] in
                if context.scheduler.stopTimer(timer) != nil { waiter.resume(returning: true) }
            }
            if !context.scheduler.isOver { disk.queue.append(ticket) }
        }
        guard isMine else { throw .busy }
        return Lock(disk, number)
    }

    private func wait() async throws(StoreError) {
        guard await context.scheduler.pause(process) else {
            throw .failed("the simulation is over")
        }
    }

    private final class Lock: RefreshLock, @unchecked Sendable {
        private var disk: DeviceDisk?
        private let number: Int

        init(_ disk: DeviceDisk?, _ number: Int) {
            self.disk = disk
            self.number = number
        }

        func release() {
            disk?.release(number)
            disk = nil
        }

        deinit { release() }
    }
}

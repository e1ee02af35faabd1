internal import Glibc
internal import Synchronization

/// The open connections, and timeouts for slow ones.
///
/// The daemon's own timeout restarts with each received byte; these do not.
final class Connections: Sendable {
    private struct Entry {
        let connection: ConnectionState
        /// The idle phase to which `bytesBefore` and `begunAt` refer.
        var turn: UInt64 = 0
        /// The bytes received before the phase began; 0 for the first phase.
        var bytesBefore: UInt64 = 0
        /// When more bytes were first seen in the phase: an incomplete head, or a TLS handshake.
        var begunAt: UInt64?
    }

    private struct State {
        var open: [ObjectIdentifier: Entry] = [:]
        var lookedAt: UInt64 = 0
    }

    private let state = Mutex(State())
    private let isSecure: Bool

    init(isSecure: Bool) { self.isSecure = isSecure }

    func insert(_ connection: ConnectionState) {
        state.withLock {
            $0.open[ObjectIdentifier(connection)] = Entry(connection: connection)
        }
    }

    func remove(_ connection: ConnectionState) {
        state.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    var count: Int { state.withLock { $0.open.count } }

    /// Whether any connection has a request whose response is not sent completely.
    var areAnswering: Bool {
        state.withLock { $0.open.values.contains { $0.connection.phase == .handling } }
    }

    /// Closes connections that exceed a timeout.
    func sweep(_ limits: ServerLimits) {
        let now = CoarseClock.seconds
        state.withLock { state in
            // This is not done every second, because it needs a system call per idle connection.
            let looksAtHeads = now - state.lookedAt >= UInt64(limits.receiveSecondsMax / 8)
            if looksAtHeads { state.lookedAt = now }
            for (key, var entry) in state.open {
                if isOverdue(&entry, limits, now: now, looksAtHeads: looksAtHeads) {
                    entry.connection.cut()
                }
                if looksAtHeads { state.open[key] = entry }
            }
        }
    }

    private func isOverdue(
        _ entry: inout Entry, _ limits: ServerLimits, now: UInt64, looksAtHeads: Bool
    ) -> Bool {
        let connection = entry.connection
        let since = connection.since
        let receiveMax = UInt64(limits.receiveSecondsMax)
        switch connection.phase {
        case .handling: return false
        case .receiving: return now > since + receiveMax
        case .idle:
            if looksAtHeads { look(at: &entry, now: now) }
            if let begunAt = entry.begunAt, entry.turn == connection.turn {
                return now > begunAt + receiveMax
            }
            return limits.idleSecondsMax > 0
                && now > since + UInt64(limits.idleSecondsMax) + receiveMax
        }
    }

    private func look(at entry: inout Entry, now: UInt64) {
        let turn = entry.connection.turn
        let received = entry.connection.bytesReceived
        if entry.turn != turn {
            entry.turn = turn
            entry.bytesBefore = received
            entry.begunAt = nil
        } else if received > entry.bytesBefore {
            entry.begunAt = entry.begunAt ?? now
            // On a new TLS connection, these bytes may have been the handshake, so more bytes are
            // needed.
            if isSecure, turn == 0 { entry.bytesBefore = received }
        } else if isSecure, turn == 0 {
            entry.begunAt = nil
        }
    }

    /// Checks for disconnected clients that the daemon may have missed.
    func repeatEnds() {
        state.withLock { state in
            var entries = state.open.values.filter { $0.connection.phase != .handling }.map {
                pollfd(fd: $0.connection.descriptor, events: PollEvent.hungUp, revents: 0)
            }
            guard !entries.isEmpty, poll(&entries, nfds_t(entries.count), 0) > 0 else { return }
            for entry in entries where entry.revents & PollEvent.hungUp != 0 {
                shutdown(entry.fd, Int32(SHUT_RD))
            }
        }
    }
}

import Foundation

// A task that reads the store and acts on the result, or that writes, holds the gate; only one task
// at a time can hold it. No task holds the gate during a request.
extension LatchkeyClient {
    func enterGate() async {
        if !isGateTaken {
            isGateTaken = true
        } else {
            await withCheckedContinuation { gateQueue.append($0) }
        }
    }

    func leaveGate() {
        if gateQueue.isEmpty {
            isGateTaken = false
        } else {
            // The gate remains taken: it passes to the next task.
            gateQueue.removeFirst().resume()
        }
    }

    /// Takes over what another process has stored. The caller holds the gate.
    func readStore() async throws(StoreError) {
        let before = intent
        let bytes = try await store.load()
        guard machine.isUpToDate(before) else { return }
        let record = try record(of: bytes)
        apply { $0.loaded(record, since: before) }
    }

    func record(of bytes: Data?) throws(StoreError) -> StoredRecord {
        if let decoded, decoded.bytes == bytes { return decoded.record }
        let record = try StoredRecord(bytes, origin: origin)
        decoded = bytes.map { ($0, record) }
        return record
    }

    /// Changes the stored record. The caller holds the gate.
    func write(_ change: StoreChange) async throws(StoreError) -> Written {
        for _ in 0..<16 {
            let bytes = try await store.load()
            var record: StoredRecord
            do throws(StoreError) {
                record = try self.record(of: bytes)
            } catch {
                guard change.replacesUnreadable else { throw error }
                record = try StoredRecord(nil, origin: origin)
            }
            if !change.apply(to: &record) { return Written(record: record, isChanged: false) }
            let new = record.bytes
            if new == nil, !record.isEmpty { throw .failed("the session cannot be encoded") }
            if try await store.replace(bytes, with: new) {
                decoded = new.map { ($0, record) }
                return Written(record: record, isChanged: true)
            }
        }
        throw .busy
    }

    /// Changes a part of the stored record other than the session.
    func changeStore(_ change: StoreChange) async throws(AuthError) {
        await enterGate()
        defer { leaveGate() }
        do throws(StoreError) { _ = try await write(change) } catch { throw AuthError(error) }
    }

    /// Removes ended sessions from the store, now or as soon as the store permits it. The caller
    /// holds the gate.
    ///
    /// - Returns: why a session is still stored; nil if none is.
    @discardableResult
    func removeEnded() async -> AuthError? {
        guard !machine.removal.isEmpty else { return nil }
        do throws(StoreError) {
            _ = try await write(.remove(machine.removal))
            apply { $0.removed() }
            return nil
        } catch {
            storeAgain()
            return AuthError(error)
        }
    }

    /// Repeats a failed write to the store until it succeeds.
    func storeAgain() {
        guard !isStoringAgain else { return }
        isStoringAgain = true
        // The client owns this task. It ends with the client, or once everything is stored.
        Task { [weak self, clock] in
            var pause = Duration.seconds(1)
            repeat {
                try await clock.sleep(for: pause)
                pause = min(pause * 2, .seconds(60))
            } while await self?.storeOnce() == false
        }
    }

    /// - Returns: whether everything is stored.
    private func storeOnce() async -> Bool {
        await enterGate()
        defer { leaveGate() }
        guard await removeEnded() == nil else { return false }
        if let live = machine.unsaved {
            guard let written = try? await write(.put(live.record, over: live.storage)) else {
                return false
            }
            apply { $0.stored(live.record.revision, written) }
        }
        isStoringAgain = false
        return true
    }
}

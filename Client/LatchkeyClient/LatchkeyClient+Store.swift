import Foundation

/// What has to be removed from the store: the session with this ID, or any session.
enum Clearing: Equatable {
    case session(String)
    case any
}

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
        let before = epoch
        let bytes = try await store.load()
        // The user has signed out during the read: the record is out of date.
        guard before == epoch, clearing != .any else { return }
        let record = try record(of: bytes)
        if case .session(let id) = clearing {
            guard record.session?.id != id else { return }
            // Another process has signed in, or out.
            clearing = nil
        }
        adopt(record)
    }

    func record(of bytes: Data?) throws(StoreError) -> StoredRecord {
        if let decoded, decoded.bytes == bytes { return decoded.record }
        let record = try StoredRecord(bytes, origin: origin)
        decoded = bytes.map { ($0, record) }
        return record
    }

    /// Changes the stored record, if `change` returns true. The caller holds the gate.
    ///
    /// - Returns: the record that is stored now.
    func updateStore(
        replacingUnreadable: Bool = false, _ change: (inout StoredRecord) -> Bool
    ) async throws(StoreError) -> (record: StoredRecord, isChanged: Bool) {
        for _ in 0..<16 {
            let bytes = try await store.load()
            var record: StoredRecord
            do throws(StoreError) {
                record = try self.record(of: bytes)
            } catch {
                guard replacingUnreadable else { throw error }
                record = try StoredRecord(nil, origin: origin)
            }
            guard change(&record) else { return (record, false) }
            let new = record.bytes
            if new == nil, !record.isEmpty { throw .failed("the session cannot be encoded") }
            if try await store.replace(bytes, with: new) {
                decoded = new.map { ($0, record) }
                return (record, true)
            }
        }
        throw .busy
    }

    /// Changes the parts of the stored record other than the session.
    func changeStore(_ change: (inout StoredRecord) -> Bool) async throws(AuthError) {
        await enterGate()
        defer { leaveGate() }
        do throws(StoreError) { _ = try await updateStore(change) } catch { throw AuthError(error) }
    }

    /// Takes over the stored session: another process may have signed in or out, or refreshed.
    func adopt(_ record: StoredRecord) {
        switch (state, record.session) {
        case (.signedIn(let live), let stored?) where stored.id == live.record.id:
            guard stored.generation > live.record.generation else {
                return adoptDoubt(of: stored, in: live)
            }
            state = .signedIn(LiveSession(record: stored))
            emit(.refreshed(stored.session))
            if stored.awaitsRefresh == true { doubt(stored.revision) }
        // This client's session is the latest, although it is not stored yet.
        case (.signedIn(let live), _) where live.storage == .unsavedSignIn: return
        case (_, let stored?):
            supersede(.failure(.superseded))
            state = .signedIn(LiveSession(record: stored))
            emit(.signedIn(stored.session))
            if stored.awaitsRefresh == true { doubt(stored.revision) }
        case (.signedIn, nil):
            supersede(.failure(.signedOut))
            state = .signedOut(.elsewhere)
            emit(.signedOut(.elsewhere))
        case (.unknown, nil):
            state = .signedOut(.none)
            emit(.signedOut(.none))
        case (.signedOut, nil): return
        }
    }

    /// Replaces an earlier generation of the session, or, at sign-in, any session. The caller holds
    /// the gate.
    ///
    /// - Returns: nil if the session was stored, otherwise the record that is stored instead.
    func storeSession(
        _ session: SessionRecord, replacing storage: LiveSession.Storage, deviceToken: String? = nil
    ) async throws(StoreError) -> StoredRecord? {
        let (record, isStored) = try await updateStore(
            replacingUnreadable: storage == .unsavedSignIn
        ) { record in
            if storage != .unsavedSignIn {
                guard let stored = record.session, stored.id == session.id,
                    stored.generation <= session.generation
                else { return false }
            }
            let isInDoubt =
                record.session?.revision == session.revision
                && record.session?.awaitsRefresh == true
            record.session = session
            // Another process has sent a refresh.
            if isInDoubt { record.session?.awaitsRefresh = true }
            if let deviceToken { record.deviceToken = deviceToken }
            return true
        }
        return isStored ? nil : record
    }

    /// Removes a session. The caller holds the gate.
    func clearStore(_ what: Clearing) async throws(StoreError) {
        _ = try await updateStore(replacingUnreadable: what == .any) { record in
            guard let session = record.session else { return false }
            if case .session(let id) = what, session.id != id { return false }
            record.session = nil
            return true
        }
    }

    /// Removes a session now, or as soon as the store permits it. The caller holds the gate.
    ///
    /// - Returns: why the session is still stored.
    @discardableResult
    func clear(_ what: Clearing) async -> AuthError? {
        do throws(StoreError) {
            try await clearStore(what)
            if clearing == what { clearing = nil }
            return nil
        } catch {
            clearing = what
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
        do throws(StoreError) {
            if let what = clearing {
                try await clearStore(what)
                if clearing == what { clearing = nil }
            }
            if case .signedIn(let live) = state, live.storage != .stored {
                let other = try await storeSession(live.record, replacing: live.storage)
                if case .signedIn(var now) = state,
                    now.record.revision == live.record.revision
                {
                    now.storage = .stored
                    state = .signedIn(now)
                    if let other { adopt(other) } else { emit(.stored) }
                }
            }
            isStoringAgain = false
            return true
        } catch {
            return false
        }
    }

    /// Ends the requests of a session that has been replaced or has ended.
    func supersede(_ outcome: Flight.Outcome) {
        epoch += 1
        refreshPause = nil
        settling?.cancel()
        let old = flights
        flights = [:]
        for flight in old.values.sorted(by: { $0.number < $1.number }) {
            flight.task.cancel()
            flight.end(outcome)
        }
    }
}

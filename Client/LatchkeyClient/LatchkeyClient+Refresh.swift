import Foundation

/// A refresh under way, which any number of calls wait for.
struct Flight {
    typealias Outcome = Result<LiveSession, AuthError>

    let number: Int
    let task: Task<Void, Never>
    var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]

    /// Resumes the callers in the order in which they called.
    func end(_ outcome: Outcome) {
        for (_, it) in waiters.sorted(by: { $0.key < $1.key }) { it.resume(returning: outcome) }
    }
}

extension LatchkeyClient {
    /// The session after a refresh that spends the tokens of this revision. All calls for the same
    /// revision share a request; cancelling one call does not affect the others.
    func refreshed(_ spent: Revision) async -> Flight.Outcome {
        waiterCount += 1
        let number = waiterCount
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: .failure(.cancelled))
                } else {
                    join(spent, number, continuation)
                }
            }
        } onCancel: {
            // An unstructured task: it only removes the waiter.
            Task { await self.leave(spent, number) }
        }
    }

    /// How many calls wait for refreshes.
    package var waitingCallers: Int { flights.values.reduce(0) { $0 + $1.waiters.count } }

    private func join(
        _ spent: Revision, _ number: Int, _ waiter: CheckedContinuation<Flight.Outcome, Never>
    ) {
        if flights[spent] == nil {
            // Owned by this client, in `flights`. The timeouts of its requests bound it.
            let task = Task { await fly(spent, number) }
            flights[spent] = Flight(number: number, task: task)
        }
        flights[spent]?.waiters[number] = waiter
    }

    private func leave(_ spent: Revision, _ number: Int) {
        flights[spent]?.waiters.removeValue(forKey: number)?.resume(returning: .failure(.cancelled))
    }

    private func fly(_ spent: Revision, _ number: Int) async {
        let outcome = await refresh(spent)
        // If another session has superseded this flight, its waiters have already been told.
        guard let flight = flights[spent], flight.number == number else { return }
        flights[spent] = nil
        flight.end(outcome)
    }

    private func refresh(_ spent: Revision) async -> Flight.Outcome {
        if let pause = refreshPause {
            let left = pause.until - clock.uptime()
            if left > .zero { return .failure(pause.error.after(left)) }
            refreshPause = nil
        }
        // 1. Wait until no other process refreshes.
        let lock: (any RefreshLock)?
        do throws(StoreError) {
            lock = try await store.lockRefresh(waiting: options.lockWait)
        } catch {
            // If the server accepts a repeated token, the lock only saves requests.
            guard contract.refresh.isResendSafe, error != .locked else {
                return .failure(error == .busy ? .unavailable(retryAfter: nil) : AuthError(error))
            }
            lock = nil
        }
        defer { lock?.release() }
        // 2. Another process may have refreshed, or signed out.
        await enterGate()
        do throws(StoreError) {
            try await readStore()
            // A store that cannot be written does not delay a refresh: the client keeps the new
            // tokens in memory.
            try? await storeDoubt(spent)
            leaveGate()
        } catch {
            leaveGate()
            // An unreadable store may not be writable either: do not spend the stored token.
            return .failure(AuthError(error))
        }
        guard case .signedIn(let live) = state else { return .failure(.signedOut) }
        guard live.record.revision == spent else {
            return live.record.id == spent.id ? .success(live) : .failure(.superseded)
        }
        guard let token = live.record.refreshToken else { return await end(spent, code: nil) }
        // 3. Send.
        switch await sendRefresh(token, spending: spent) {
        case .success(let answer):
            // 4. Store, then publish.
            return await commit(answer, spent, lock)
        case .failure(.ended(let code)): return await end(spent, code: code, lock)
        case .failure(.failed(let error)): return .failure(error)
        }
    }

    private func commit(
        _ answer: SessionAnswer, _ spent: Revision, _ lock: (any RefreshLock)?
    ) async -> Flight.Outcome {
        await enterGate()
        defer { leaveGate() }
        guard let old = present(spent) else { return .failure(.superseded) }
        var live = LiveSession(record: old.record, receivedAt: answer.sentAt)
        live.record.renew(with: answer)
        var other: StoredRecord?
        do throws(StoreError) {
            other = try await storeSession(live.record, replacing: old.storage)
        } catch {
            live.storage = old.storage == .unsavedSignIn ? .unsavedSignIn : .unsavedRefresh
        }
        lock?.release()
        settling?.cancel()
        // A sign-out during the write is final, although it did not wait for the store.
        guard present(spent) != nil else { return .failure(.superseded) }
        if let other {
            adopt(other)
            guard case .signedIn(let now) = state else { return .failure(.signedOut) }
            return now.record.id == spent.id ? .success(now) : .failure(.superseded)
        }
        state = .signedIn(live)
        if live.storage != .stored {
            if old.storage == .stored { emit(.storeFailed) }
            storeAgain()
        }
        emit(.refreshed(live.record.session))
        return .success(live)
    }

    /// The server has ended the session.
    private func end(
        _ spent: Revision, code: String?, _ lock: (any RefreshLock)? = nil
    ) async -> Flight.Outcome {
        await enterGate()
        defer { leaveGate() }
        guard let live = present(spent) else { return .failure(.superseded) }
        var stored: StoredRecord?
        // If the sign-in could not be stored, the store still has the session before this one.
        let isUnsaved = live.storage == .unsavedSignIn
        do throws(StoreError) {
            stored = try await updateStore { record in
                guard let session = record.session,
                    isUnsaved || session.id == spent.id && session.generation <= spent.generation
                else { return false }
                record.session = nil
                return true
            }.record
        } catch {
            clearing = isUnsaved ? .any : .session(spent.id)
            storeAgain()
        }
        lock?.release()
        guard present(spent) != nil else { return .failure(.superseded) }
        if let stored, stored.session != nil {
            // Another process has newer tokens: the server has refused old ones.
            adopt(stored)
            guard case .signedIn(let now) = state, now.record.id == spent.id,
                now.record.generation > spent.generation
            else { return .failure(.superseded) }
            return .success(now)
        }
        let flight = flights.removeValue(forKey: spent)
        supersede(.failure(.signInAgain(code: code)))
        flights[spent] = flight
        state = .signedOut(.server(code: code))
        emit(.signedOut(.server(code: code)))
        return .failure(.signInAgain(code: code))
    }
}

import Dispatch
import Foundation

// Calls that wait for refreshes.
extension LatchkeyClient {
    /// The session after a refresh that spends the tokens of this revision.
    func refreshed(_ spent: Revision) async -> SessionMachine.Outcome {
        waiterCount += 1
        let number = waiterCount
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                if Task.isCancelled { return waiter.resume(returning: .failure(.cancelled)) }
                waiters[number] = waiter
                apply { $0.join(spent, waiter: number) }
            }
        } onCancel: {
            // This task is unstructured, because it only removes the waiter.
            Task { await apply { $0.leave(waiter: number) } }
        }
    }

    /// How many calls wait for refreshes.
    package var waitingCallers: Int { waiters.count }

    func beginRefresh(_ spent: Revision) {
        // This client owns the task, in `refreshes`. The timeouts of the task's requests limit its
        // duration.
        refreshes[spent] = Task {
            let endActivity = beginActivity()
            let outcome = await refresh(spent)
            endActivity()
            // If another session has superseded this refresh, its waiters already have their
            // result.
            guard !Task.isCancelled else { return }
            refreshes[spent] = nil
            apply { $0.landed(spent, outcome) }
        }
    }

    /// Asks the system not to suspend the process before the returned function is called: a process
    /// that sleeps between the server's answer and the store's write loses its session, and one
    /// that sleeps with a file lock in an app group may be ended.
    private func beginActivity() -> @Sendable () -> Void {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            let ended = DispatchSemaphore(value: 0)
            let limit =
                (options.lockWait + options.refreshTime + options.requestTimeout) / .seconds(1)
            ProcessInfo.processInfo.performExpiringActivity(withReason: "refresh") { isExpired in
                // The system may suspend the process when this call returns. If the time is over
                // before, it calls again, from another thread.
                if isExpired { ended.signal() } else { _ = ended.wait(timeout: .now() + limit) }
            }
            return { ended.signal() }
        #else
            return {}
        #endif
    }

    /// The minimum waits before each repetition of a refresh whose answer was lost. Jitter adds at
    /// most half of the minimum.
    private static let settlingPauses: [Duration] = [
        .seconds(4), .seconds(8), .seconds(12), .seconds(16), .seconds(16),
    ]

    func settle(_ revision: Revision) {
        settling?.cancel()
        // The client owns this task: it ends with the client or the session, and has a time limit.
        settling = Task { [weak self, clock, options] in
            for pause in Self.settlingPauses {
                try await clock.sleep(for: pause + options.jitter(upTo: pause / 2))
                guard let self, await machine.present(revision) != nil else { return }
                _ = await refreshed(revision)
            }
            await self?.apply { $0.settlingEnded(revision) }
        }
    }

    // MARK: The steps of a refresh

    private func refresh(_ spent: Revision) async -> SessionMachine.Outcome {
        if let error = machine.pause(spent, at: clock.uptime()) { return .failure(error) }
        // 1. Wait until no other process refreshes.
        let lock: (any RefreshLock)?
        do throws(StoreError) {
            lock = try await store.lockRefresh(waiting: options.lockWait)
        } catch {
            if let refusal = machine.refusal(withoutLock: error) { return .failure(refusal) }
            lock = nil
        }
        defer { lock?.release() }
        // 2. Another process may have refreshed, or signed out.
        switch await beginning(spent) {
        case .finish(let outcome): return outcome
        case .send(nil): return await conclude(spent, .ended(code: nil))
        case .send(let token?):
            // 3. Send.
            let verdict = await sendRefresh(token, spending: spent)
            // 4. Store, then publish.
            return await conclude(spent, verdict)
        }
    }

    private func beginning(_ spent: Revision) async -> SessionMachine.Beginning {
        await enterGate()
        defer { leaveGate() }
        do throws(StoreError) {
            try await readStore()
        } catch {
            // An unreadable store may not be writable either: do not spend the stored token.
            return .finish(.failure(AuthError(error)))
        }
        let before = intent
        // A failed write does not delay a refresh: the client keeps the new tokens in memory.
        if machine.storesDoubt(spent), let written = try? await write(.doubt(spent)) {
            apply { $0.doubtStored(spent, written, since: before) }
        }
        return machine.beginning(spent)
    }

    private func conclude(
        _ spent: Revision, _ verdict: RefreshVerdict
    ) async -> SessionMachine.Outcome {
        await enterGate()
        defer { leaveGate() }
        var written: Written?
        if let change = machine.change(spent, verdict) { written = try? await write(change) }
        return apply { $0.concluded(spent, verdict, written) }
    }

    /// Sends a refresh token, and the same one again if no answer came: the server repeats a lost
    /// answer.
    ///
    /// - Parameter spent: nil if the session has ended here.
    func sendRefresh(_ token: String, spending spent: Revision? = nil) async -> RefreshVerdict {
        let start = clock.uptime()
        var attempts = 0
        while true {
            attempts += 1
            let sentAt = clock.uptime()
            let request: HTTPRequest
            do throws(AuthError) {
                request = try await self.request(
                    .refresh, body: .members([contract.names.refreshToken: token.json]))
            } catch {
                return .failed(error)
            }
            let verdict = RefreshVerdict(
                await exchange(request), contract, sentAt: sentAt, now: clock.now())
            guard case .failed(let error, let canResend, let leavesDoubt) = verdict else {
                return verdict
            }
            if Task.isCancelled { return .failed(.superseded) }
            if leavesDoubt, let spent { apply { $0.doubt(spent) } }
            let backoff = Duration.milliseconds(500) * (1 << min(attempts - 1, 4))
            let pause = max(options.jitter(upTo: backoff), error.retryAfter ?? .zero)
            let now = clock.uptime()
            guard canResend, attempts < options.refreshAttemptsMax,
                now - start + pause <= options.refreshTime
            else {
                if let spent, let wait = error.retryAfter {
                    let until = now + min(wait, .seconds(300))
                    apply { $0.pauseRefreshes(spent, until: until, error) }
                }
                return verdict
            }
            do { try await clock.sleep(for: pause) } catch { return .failed(.superseded) }
        }
    }
}

import Foundation

// A refresh is in doubt if it was sent and its answer is lost: the server may have replaced the
// refresh token. It repeats its answer for 60 seconds (`REFRESH_GRACE_SECONDS`); later the same
// token counts as stolen and ends the session (RFC 9700 section 4.14.2). Therefore the doubt is
// stored before a refresh is sent, for processes that start later or share the store, and all ask
// again.
//
// The user has to sign in again in these cases, which the server cannot tell from a stolen token:
// - No process reaches the server within the 60 seconds.
// - The process is killed, and no other one starts or calls `restore()` within them.
// - The process is killed while the store cannot be written, before the refresh or after it.
extension LatchkeyClient {
    /// The minimum waits before each repetition. A wait is at most half as long again.
    private static let settlingPauses: [Duration] = [
        .seconds(4), .seconds(8), .seconds(12), .seconds(16), .seconds(16),
    ]

    /// Stores that a refresh with these tokens is about to be sent. The caller holds the gate.
    func storeDoubt(_ spent: Revision) async throws(StoreError) {
        guard contract.refresh.isResendSafe, present(spent)?.storage == .stored,
            present(spent)?.record.awaitsRefresh != true
        else { return }
        let before = epoch
        let (record, isChanged) = try await updateStore { record in
            guard record.session?.revision == spent else { return false }
            record.session?.awaitsRefresh = true
            return true
        }
        // The user has signed out since.
        guard before == epoch, clearing == nil else { return }
        if !isChanged { return adopt(record) }
        guard var live = present(spent) else { return }
        live.record.awaitsRefresh = true
        state = .signedIn(live)
    }

    /// Takes over the doubt that another process, or an earlier start of the app, has stored.
    func adoptDoubt(of stored: SessionRecord, in live: LiveSession) {
        guard stored.revision == live.record.revision, stored.awaitsRefresh == true,
            live.storage == .stored
        else { return }
        var live = live
        live.record.awaitsRefresh = true
        state = .signedIn(live)
        doubt(stored.revision)
    }

    /// The server may have replaced these tokens. Repeats the refresh until its outcome is known,
    /// for about a minute.
    func doubt(_ revision: Revision) {
        guard contract.refresh.isResendSafe, settling == nil || doubted != revision else { return }
        doubted = revision
        settling?.cancel()
        // The client owns this task: it ends with the client or the session, and has a time limit.
        settling = Task { [weak self, clock, options] in
            for pause in Self.settlingPauses {
                try await clock.sleep(for: pause + options.jitter(upTo: pause / 2))
                guard let self, await present(revision) != nil else { break }
                _ = await refreshed(revision)
            }
            await self?.endSettling(of: revision)
        }
    }

    /// A later lost answer starts `settling` again, because only the later request may have reached
    /// the server.
    private func endSettling(of revision: Revision) {
        if doubted == revision { settling = nil }
    }

    func present(_ revision: Revision) -> LiveSession? {
        if case .signedIn(let live) = state, live.record.revision == revision { live } else { nil }
    }
}

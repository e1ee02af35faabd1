package import AuthDomain
package import AuthRecords
internal import KeyValueStore
internal import Time

/// A device's request, as it is shown to the person who typed its code.
package struct ShownDevice: Sendable {
    package let code: UserCode
    package let request: DeviceRequest
    package let client: Client
}

/// Finds a device's request by the code that a signed-in person types, and stores the person's
/// decision (RFC 8628 section 3.3).
///
/// Whoever knows the code can decide, so guessing must be limited. Codes are counted before the
/// store is read, so that concurrent guesses are limited like consecutive ones. A right code is not
/// counted, and does not reset the count of wrong ones.
package struct DecideDevice: Sendable {
    package enum Finding: Sendable {
        case shown(ShownDevice)
        /// The application wants a new proof of who the person is before they decide.
        case stepUp
    }

    let auth: AuthServices

    package func find(
        _ typed: String, _ principal: Principal, _ caller: Caller
    ) throws(AuthError) -> Finding {
        let code = UserCode(parsing: typed)
        let keys = code.map { [StoreLayout.deviceRequest($0)] } ?? []
        let opening = try auth.open(
            .enterUserCode,
            counting: [(.address, caller.address), (.account, principal.user.id.text)],
            reading: keys)
        do throws(AuthError) {
            try opening.admit()
        } catch {
            // Undoes the count for the network, so that wrong codes of one account do not lock out
            // other accounts in the same network.
            try auth.uncount(opening)
            throw error
        }
        guard let code else { throw .oauth(.wrongUserCode) }
        var items = opening.items
        for attempt in auth.attempts {
            if attempt > 0 { items = try auth.store.get(keys) }
            guard let (row, request, client) = try waiting(code, items) else {
                throw .oauth(.wrongUserCode)
            }
            if attempt == 0 { try auth.uncount(opening) }
            let advice = try advice(on: request, from: client, principal, caller)
            if advice == .stepUp { return .stepUp }
            let next = advice == nil ? request.refused() : request.read(by: principal.user.id)
            guard try auth.change(request, to: next, in: row) else { continue }
            if advice == nil { throw .oauth(.accessDenied) }
            return .shown(ShownDevice(code: code, request: next, client: client))
        }
        throw .unavailable(.contention)
    }

    /// nil if the application refuses.
    private func advice(
        on request: DeviceRequest, from client: Client, _ principal: Principal, _ caller: Caller
    ) throws(AuthError) -> AuthorizationAdvice? {
        do throws(AuthError) {
            return try auth.advice(
                on: request.scope, request.resources, from: client, .enterUserCode, principal,
                caller)
        } catch {
            guard case .oauth(.accessDenied) = error else { throw error }
            return nil
        }
    }

    /// nil if no device waits with that code.
    private func waiting(
        _ code: UserCode, _ items: ReadItems
    ) throws(AuthError) -> (row: Item, request: DeviceRequest, client: Client)? {
        guard let row = items[StoreLayout.deviceRequest(code)] else { return nil }
        let request = try decoded(DeviceRequest(row))
        guard request.state == .waiting, auth.clock.now() < request.endsAt,
            let client = try auth.client(request.client)
        else { return nil }
        return (row, request, client)
    }

    /// The request for a code that this user has entered before. To everybody else the request is
    /// unknown.
    private func found(
        _ code: UserCode, by user: User, _ items: ReadItems
    ) throws(AuthError) -> (row: Item, request: DeviceRequest, client: Client) {
        guard let found = try waiting(code, items), found.request.reader == user.id else {
            throw .oauth(.unknownRequest)
        }
        return found
    }

    private func parsed(_ text: String) throws(AuthError) -> UserCode {
        guard let code = UserCode(parsing: text) else { throw .oauth(.unknownRequest) }
        return code
    }

    package func refuse(_ text: String, _ principal: Principal) throws(AuthError) {
        let code = try parsed(text)
        for _ in auth.attempts {
            let items = try auth.store.get([StoreLayout.deviceRequest(code)])
            let (row, request, _) = try found(code, by: principal.user, items)
            if try auth.change(request, to: request.refused(), in: row) { return }
        }
        throw .unavailable(.contention)
    }

    package func allow(
        _ text: String, _ principal: Principal, _ caller: Caller
    ) throws(AuthError) {
        let (code, user) = (try parsed(text), principal.user)
        let chain = AuditChain.account(user.id)
        for _ in auth.attempts {
            let items = try auth.store.get([chain.headKey, StoreLayout.deviceRequest(code)])
            let (row, request, client) = try found(code, by: user, items)
            let now = auth.clock.now()
            // For a program without a secret, users are asked for consent each time: a decision
            // about one device must not count for another program that uses its name.
            let consent = try NewConsent(
                auth, to: client, request.scope, request.resources,
                isRemembered: client.isConfidential, of: user,
                try auth.store.get(
                    [StoreLayout.consent(to: client.id, of: user.id)]
                        + [try auth.clientEpochKey(client.id)].compactMap(\.self)),
                caller, at: now)
            let approval = DeviceRequest.Approval(
                user: user.id, browser: principal.session.id, epoch: user.epoch,
                clientEpoch: consent.clientEpoch)
            let allowed = Item(
                row.key, request.allowed(approval).attributes, expiresAt: row.expiresAt)
            var audit = try auth.audit(chain, items)
            audit.record(
                .applicationAuthorized, session: principal.session.id, caller,
                detail: client.id, at: now)
            let writes =
                [Write.put(allowed, when: request.unchanged)] + consent.writes
                + (try auth.keeping(client, at: now))
            guard try auth.commit(writes, &audit) else { continue }
            consent.notice.deliver()
            return
        }
        throw .unavailable(.contention)
    }
}

extension AuthServices {
    package var decideDevice: DecideDevice { DecideDevice(auth: self) }

    /// Whether the request is now stored as `next`. This is also true if the response to our own
    /// write was lost and the repeated write refused.
    func change(
        _ request: DeviceRequest, to next: DeviceRequest, in row: Item
    ) throws(AuthError) -> Bool {
        let changed = Item(row.key, next.attributes, expiresAt: row.expiresAt)
        if try store.attempt([.put(changed, when: request.unchanged)]) { return true }
        let found = try store.get(row.key).map { row throws(AuthError) in
            try decoded(DeviceRequest(row))
        }
        return found == next
    }
}

extension AuthOperation {
    /// Counts wrong user codes.
    package static let enterUserCode = AuthOperation(
        "enterUserCode", servedBy: "ui", counting: [.address, .account])
}

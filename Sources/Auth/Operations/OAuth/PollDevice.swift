package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

/// Answers a device's poll, and issues the tokens of a new grant once the request is allowed (RFC
/// 8628 section 3.4).
///
/// The write that begins the grant deletes the request, so each approval gives only one set of
/// tokens. A device that observes the interval costs a single read: each poll counts in a counter
/// for its second, and the latest counters are read with the request. The request itself contains
/// the time of the last poll only if the device has ever polled too early.
package struct PollDevice: Sendable {
    let auth: AuthServices

    /// How much less than the interval may pass between two polls, because of delays in the
    /// network.
    private static let tolerance = Span.seconds(1)

    package func callAsFunction(
        _ text: String, resources: [String], by credentials: ClientCredentials, _ caller: Caller
    ) throws(AuthError) -> GrantTokens {
        // 1. Open: count, and find the request.
        let place = DeviceCode(parsing: text).map { code in
            (code: code, key: StoreLayout.deviceRequest(code.userCode))
        }
        let questions = try place.map { place throws(AuthError) in
            Questions(place.code, at: auth.clock.now(), within: try interval)
        }
        let (client, opening) = try auth.open(
            .pollDevice, as: .deviceCode, by: credentials, caller,
            reading: (place.map { [$0.key] } ?? []) + (questions?.earlier ?? []),
            tallying: questions?.counter)
        try opening.admit()
        guard let place, let questions else { throw .oauth(.invalidGrant(.unknown)) }
        let formerly = questions.last(in: opening)

        var row = opening.items[place.key]
        for attempt in auth.attempts {
            if attempt > 0 { row = try auth.store.get(place.key) }
            // 2. Judge the code, and the client that sends it.
            guard let row else {
                throw .oauth(.invalidGrant(attempt == 0 ? .unknown : .used))
            }
            let (request, now) = (try decoded(DeviceRequest(row)), auth.clock.now())
            guard place.code.isOf(request) else { throw .oauth(.invalidGrant(.unknown)) }
            guard request.client.isSame(as: client.id) else {
                throw .oauth(.invalidGrant(.otherClient))
            }
            guard now < request.endsAt else { throw .oauth(.expiredToken) }
            switch request.state {
            case .refused: throw .oauth(.accessDenied)
            case .waiting:
                let pace = try pace(of: request, after: formerly, at: now)
                guard try note(pace, in: row, request) else { continue }
                throw .oauth(pace.isEarly ? .slowDown : .authorizationPending)
            case .allowed:
                // 3. Close: the request is used, and the grant begins.
                if let tokens = try tokens(of: request, row, client, resources, caller, at: now) {
                    return tokens
                }
            }
        }
        throw .unavailable(.contention)
    }

    private var interval: Span {
        get throws(AuthError) { try auth.oauthPolicy.deviceInterval }
    }

    // MARK: The interval

    /// The polls of a device, each counted in its second.
    private struct Questions {
        let counter: CounterIncrement
        /// The counters of the previous seconds, the latest first.
        let earlier: [ItemKey]
        private let now: Instant

        init(_ code: DeviceCode, at now: Instant, within interval: Span) {
            func key(_ back: Int64) -> ItemKey {
                StoreLayout.questions(with: code.secretHash, second: now.seconds - back)
            }
            self.now = now
            counter = CounterIncrement(key(0), expiresAt: now + interval + .minutes(1))
            // A poll exactly one interval ago is not too early, so its second is left out.
            earlier = (1..<interval.seconds).map(key)
        }

        /// When the device last polled, if that was within the interval.
        func last(in opening: Opening) -> Instant? {
            if opening.tally ?? 0 > 1 { return Instant(seconds: now.seconds) }
            return earlier.firstIndex { opening.items[$0] != nil }
                .map { Instant(seconds: now.seconds - Int64($0) - 1) }
        }
    }

    private struct Pace {
        let isEarly: Bool
        /// The request with the time of the poll; nil if the device has never polled too early.
        let noted: DeviceRequest?
    }

    /// The interval counts from the last poll that was not too early, so that a device that slows
    /// down gets an answer again (RFC 8628 section 3.5).
    private func pace(
        of request: DeviceRequest, after formerly: Instant?, at now: Instant
    ) throws(AuthError) -> Pace {
        guard let last = request.polledAt ?? formerly else {
            return Pace(isEarly: false, noted: nil)
        }
        if request.polledAt != nil, now + Self.tolerance >= last + request.interval {
            return Pace(isEarly: false, noted: request.polled(at: now, every: request.interval))
        }
        let longer = Span.seconds(request.interval.seconds + (try interval).seconds)
        return Pace(isEarly: true, noted: request.polled(at: last, every: longer))
    }

    /// False if the request has been changed by another operation.
    private func note(
        _ pace: Pace, in row: Item, _ request: DeviceRequest
    ) throws(AuthError) -> Bool {
        guard let noted = pace.noted else { return true }
        return try auth.change(request, to: noted, in: row)
    }

    // MARK: The grant

    /// nil if the request, or another row, has been changed by another operation.
    private func tokens(
        of request: DeviceRequest, _ row: Item, _ client: Client, _ resources: [String],
        _ caller: Caller, at now: Instant
    ) throws(AuthError) -> GrantTokens? {
        guard let approval = request.approval else { throw .fault(.storedDataUnreadable) }
        let signer = try GrantSigner(auth, for: client, .pollDevice, caller)
        let epochKey = try auth.clientEpochKey(client.id)
        let read = try auth.store.read(
            [
                StoreLayout.consent(to: client.id, of: approval.user),
                AuditChain.account(approval.user).headKey,
            ] + SessionState.keys(approval.browser, of: approval.user)
                + [epochKey].compactMap(\.self),
            listing: StoreLayout.clientGrants(of: approval.user))
        // Since the decision, the person may have been disabled or have signed out.
        let state = try SessionState(read.items, approval.browser, of: approval.user)
        guard state.end(at: now) == nil, let browser = state.session, let user = state.user,
            approval.epoch == user.epoch,
            try approval.clientEpoch == auth.clientEpoch(client.id, read.items)
        else { throw .oauth(.invalidGrant(.ended)) }
        let key = StoreLayout.consent(to: client.id, of: user.id)
        let decided = try read.items[key].map { row throws(AuthError) in
            try decoded(ConsentRecord(row))
        }
        guard client.isDescribed(as: decided?.description) else {
            throw .oauth(.invalidGrant(.ended))
        }
        let new = try NewGrant(
            of: .init(
                scope: request.scope, resources: request.resources,
                clientEpoch: approval.clientEpoch, user: user, browser: browser),
            to: client, for: resources, signer, read.items, grants: read.page, auth, caller,
            at: now)
        var audit = try auth.audit(.account(user.id), read.items)
        audit.record(
            .applicationSignedIn, session: new.session.id, caller, detail: client.id, at: now)
        let used = Write.delete(row.key, when: request.unchanged)
        guard try auth.commit([used] + new.writes, &audit) else { return nil }
        return try signer.tokens(new.plan, of: new.session, at: now)
    }
}

extension AuthServices {
    package var pollDevice: PollDevice { PollDevice(auth: self) }
}

extension AuthOperation {
    package static let pollDevice = AuthOperation(
        "pollDevice", servedBy: "token", counting: [.client, .address], audited: .others)
}

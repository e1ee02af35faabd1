import AuthDomain
import JSON
import Time

extension Facts {
    private static let lifetime = Span.minutes(10)

    /// The session to which a browser's cookie belongs.
    func heldSession(_ cookie: String?) -> Exchange.Held? {
        guard let tokens = Browser.tokens(cookie),
            let session = sessions.accesses[tokens.access]?.session
                ?? sessions.refreshes[tokens.refresh],
            let user = sessions[session]?.user
        else { return nil }
        return Exchange.Held(
            session: session, user: user, isSpent: sessions.spent[tokens.refresh] != nil)
    }

    /// Whether the device's first poll after the approval must return tokens.
    func mustGive(_ request: DeviceFacts.Request, before exchange: Exchange) -> Bool {
        guard let approval = request.approval, approval.settledAt < exchange.startedAt,
            request.endsAt - .seconds(1) > now, mustGoOn(approval.browser)
        else { return false }
        let pair = ProviderFacts.Pair(user: approval.user, client: request.asked.client)
        return isOpen(pair, since: approval.settledAt)
            && !provider.mayBeRemoved(pair, since: request.asked.step)
            && provider.mustBeKnown(pair.client, at: now, registrationLifetime)
    }

    // MARK: A request, before its function runs

    func prepareDevice(_ seen: ProviderSeen) {
        let (exchange, fields) = (seen.exchange, seen.fields)
        if let device = seen.device {
            provider.devices.ask(
                device.code, exchange.number, isRight: seen.isOwn, at: now)
            for browser in device.fact.allowing.values.joined() {
                provider.logout.mayLearn(of: browser, device.fact.asked.client)
            }
        }
        guard exchange.operation == "POST /oauth/device", let held = exchange.browser else {
            return
        }
        if fields["decision"] == nil, let typed = fields["user_code"] {
            provider.devices.mayShow(typed, to: held.user)
        }
        // A decision that the browser sends twice may be accepted twice.
        guard fields["decision"] == "allow", let typed = fields["request"],
            let request = provider.devices.request(typed: typed)
        else { return }
        provider.devices.mayAllow(typed, held.user, in: held.session)
        provider.decide(
            ProviderFacts.Pair(user: held.user, client: request.asked.client), request.asked, [],
            exchange.number)
    }

    // MARK: A response

    func noteDevice(_ seen: ProviderSeen) {
        let (exchange, fields) = (seen.exchange, seen.fields)
        if let device = seen.device {
            let maySlow =
                seen.refusal == "slow_down" || exchange.status == 0
                || exchange.status >= 500
            provider.devices.answer(device.code, exchange.number, maySlow: maySlow, at: now)
        }
        switch exchange.operation {
        case "POST /oauth/device_authorization": noteBeginning(seen)
        case "POST /oauth/device":
            let decided = Redirect(exchange.location)?.parameters["notice"]
            guard let typed = fields["request"], let held = exchange.browser else { return }
            if decided == "deviceAllowed", let request = provider.devices.request(typed: typed) {
                accounts.acknowledge(.applicationAuthorized, held.user)
                provider.use(request.asked.client, at: now)
                provider.devices.allow(
                    typed,
                    DeviceFacts.Approval(
                        user: held.user, browser: held.session, settledAt: step))
            }
            if decided == "deviceRefused" { provider.devices.refuse(typed, at: step) }
        default: break
        }
    }

    private func noteBeginning(_ seen: ProviderSeen) {
        let answer = seen.exchange.answer
        guard seen.exchange.isSuccess, let code = answer?["device_code"]?.stringValue,
            let userCode = answer?["user_code"]?.stringValue, let client = seen.client
        else { return }
        var fields = seen.fields
        fields["client_id"] = client.id
        provider.devices.begin(
            code, userCode,
            DeviceFacts.Request(
                asked: ProviderFacts.Asked(
                    fields, device: seen.exchange.origin.device, at: now,
                    step: seen.exchange.startedAt),
                endsAt: now + Self.lifetime))
        provider.use(client.id, at: now)
    }

    /// A grant has begun on a device.
    func begin(_ token: ClientToken, at device: DeviceFacts.Request, _ seen: ProviderSeen) {
        accounts.acknowledge(.applicationSignedIn, token.user)
        let sessions = Set(device.allowing[token.user] ?? [])
        // If the user allowed the request in several sessions, it is unknown which session applies.
        let browser = device.approval?.browser ?? (sessions.count == 1 ? sessions.first : nil)
        let begunAt = device.approval?.settledAt ?? seen.exchange.startedAt
        provider.begin(
            token.grant,
            ProviderFacts.Grant(
                user: token.user, asked: device.asked, browser: browser ?? "",
                code: seen.device?.code ?? "", begunAt: begunAt,
                key: seen.client?.proof == Program.Proof.none ? seen.key : nil))
        self.sessions.begin(
            token.grant, of: token.user, on: -1, startedAt: min(begunAt, device.asked.step),
            at: step)
        self.sessions.markAsGrant(token.grant)
    }
}

import AuthTestSupport
import LatchkeyVerifier

/// A server that verifies access tokens itself, and polls the list of ended sessions through a
/// cache, as `RevocationList` does.
final class ListServer {
    enum Flaw: Sendable {
        // Bugs in the functions.
        case losesShard, losesEpochs, losesClients, losesGrantEnds, listsOneSession
        /// Answers "not modified" although sessions have ended since.
        case keepsTag
        // Bugs in the server. With `ignoresExpiry`, the cache does not expire lists either.
        case takesIncomplete, ignoresExpiry, asksTooLate, ignoresBrowser, ignoresAge
    }

    /// The maximum time until an ended session is refused: the memory of a function, the cache, and
    /// the time for which the last list is used.
    static let bound = Span.milliseconds(
        memory.milliseconds + cacheLifetime.milliseconds + Span.seconds(ageMax).milliseconds)
    private static let memory = RevocationPolicy().memory
    private static let cacheLifetime = RevocationPolicy().cacheLifetime
    private static let ageMax: Int64 = 10
    private static let tokensMax = 24

    private unowned let simulation: Simulation
    private let flaw: Flaw?
    private var known: KnownRevocations
    private var askedAt: Instant?
    private var isAsking = false
    /// Until then the server reaches no functions.
    private var isDownUntil = Instant(seconds: 0)
    /// The time of the list that the functions returned last.
    private var listedAt = Instant(seconds: 0)
    /// The cached responses, by address and ETag.
    private var cached: [String: (answer: WireAnswer, at: Instant)] = [:]
    /// The latest tokens that were issued, and when the end of each was first seen.
    private var tokens: [(text: String, endedAt: Instant?)] = []

    init(_ simulation: Simulation, _ mutation: Mutation?) {
        self.simulation = simulation
        flaw = mutation?.list
        known = KnownRevocations(issuer: simulation.deployment.kit.auth.issuer)
    }

    private var context: SimulationContext { simulation.context }
    private var now: Instant { context.scheduler.clock.now }
    private var timeOfLists: Instant { flaw == .ignoresExpiry ? listedAt : now }
    private var uptime: Duration { .milliseconds(now.milliseconds) }

    /// After each exchange, one of the latest tokens may be used at this server.
    func observe(_ exchange: Exchange) {
        guard !isAsking else { return }
        for name in ["accessToken", "access_token"] {
            if let text = exchange.answer?[name]?.stringValue { tokens.append((text, nil)) }
        }
        tokens.removeFirst(max(0, tokens.count - Self.tokensMax))
        noteEnds(exchange)
        guard !tokens.isEmpty, context.happens(percent: 30) else { return }
        // The server was restarted, and has lost its list.
        if context.happens(percent: 3) {
            known = KnownRevocations(issuer: simulation.deployment.kit.auth.issuer)
            (askedAt, cached) = (nil, [:])
        }
        let chosen = tokens[context.scheduler.draw(below: tokens.count)]
        update()
        use(chosen.text, endedAt: chosen.endedAt, after: exchange)
    }

    private func noteEnds(_ exchange: Exchange) {
        for index in tokens.indices where tokens[index].endedAt == nil {
            let (text, facts) = (tokens[index].text, simulation.facts)
            let end =
                ClientToken(text).flatMap { facts.listedEnd(of: $0, before: exchange) }
                ?? AccessToken(text).flatMap { facts.end(of: $0.session, before: exchange) }
            if end != nil { tokens[index].endedAt = now }
        }
    }

    // MARK: A token

    private func use(_ text: String, endedAt: Instant?, after exchange: Exchange) {
        guard let claims = claims(of: text), let end = claims["exp"]?.int64Value, now.seconds < end
        else { return }
        let age: Duration = flaw == .ignoresAge ? .seconds(86_400) : .seconds(Self.ageMax)
        var verdict = known.verdict(
            on: claims, at: uptime, now: timeOfLists, ageMax: age)
        if flaw == .takesIncomplete, verdict == .unknown { verdict = .alive }
        context.coverage.add("USE list", "\(verdict)")
        context.transcript.add { "  the server with a list: \(verdict)" }
        if verdict == .alive, let endedAt, endedAt + Self.bound < now {
            let age = (now - endedAt).seconds
            context.violate(
                .endIsListed, "a token was accepted \(age) s after the end of its session")
        }
        let mustGoOn: Bool
        if let token = ClientToken(text) {
            mustGoOn =
                simulation.facts.mustKeep(token)
                && !simulation.facts.provider.grantEnds.mayBeListed(
                    token.client, issuedAt: token.issuedAt)
        } else {
            mustGoOn = simulation.facts.mustGoOn(claims["sid"]?.stringValue ?? "")
        }
        // Removing a passkey also ends the tokens of the session that removes it.
        if verdict == .ended, mustGoOn, claims["latchkey_ends_with"] == nil {
            context.violate(.endIsListed, "a token was refused although its session is alive")
        }
    }

    /// The claims, without verifying the signature, which is tested elsewhere.
    private func claims(of text: String) -> JSONObject? {
        guard var claims = AccessToken.claims(of: text)?.objectValue else { return nil }
        if flaw == .ignoresBrowser { claims["latchkey_ends_with"] = nil }
        return claims
    }

    // MARK: The list

    private func update() {
        guard askedAt.map({ now - $0 >= .seconds(1) }) ?? true else { return }
        askedAt = now
        // The request or its response is lost, and perhaps those of the next minute too.
        guard now >= isDownUntil else { return }
        if context.happens(.requestNotSent) || context.happens(.answerLost) {
            isDownUntil = now + .seconds(Int64(context.scheduler.draw(below: 60)))
            return
        }
        var question = known.question(at: uptime)
        if flaw == .asksTooLate, let since = question.since {
            question = KnownRevocations.Question(since: since + 120, tag: nil)
        }
        let sentAt = uptime
        guard let answer = cachedAnswer(to: question) else { return }
        if answer.status == 304 {
            _ = known.confirm(question, sentAt: sentAt, now: timeOfLists)
        } else if answer.status == 200, let keys = keys {
            _ = known.add(
                String(decoding: answer.body, as: UTF8.self),
                tag: answer.headers.first { $0.name == "etag" }?.value, keys: keys,
                answering: question, sentAt: sentAt, now: timeOfLists)
        }
    }

    private var keys: KeySet? {
        simulation.deployment.run { auth throws(AuthError) in
            try auth.signingKeys.verificationKeys(at: auth.clock.now())
        }
    }

    /// The response from a cache in front of the functions, which keeps responses as long as their
    /// headers allow.
    private func cachedAnswer(to question: KnownRevocations.Question) -> WireAnswer? {
        let name = question.since.map { "\($0)" } ?? ""
        let known = cached[name]
        if let known, now < known.at + Self.cacheLifetime || flaw == .ignoresExpiry {
            let tag = known.answer.headers.first { $0.name == "etag" }?.value
            return tag == question.tag
                ? WireAnswer(status: 304, headers: [], body: []) : known.answer
        }
        if flaw == .keepsTag, question.tag != nil {
            return WireAnswer(status: 304, headers: [], body: [])
        }
        let request = WireRequest(
            method: "GET", path: "/oauth/revocations",
            query: question.since.map { "since=\($0)" } ?? "",
            headers: question.tag.map { [(name: "if-none-match", value: $0)] } ?? [], body: [])
        let askedAt = now
        isAsking = true
        defer { isAsking = false }
        let origin = Origin(person: 0, device: 1992, process: 0, isThief: false)
        guard let answer = simulation.serve(request, origin) else { return nil }
        if answer.status == 200 {
            cached[name] = (answer, askedAt)
            listedAt = askedAt
        }
        if answer.status == 304, let known { cached[name] = (known.answer, askedAt) }
        return answer
    }
}

extension ListServer.Flaw {
    /// The rows of ended sessions, as functions with the planted bug read them.
    func seen(_ page: Page, of query: PartitionQuery) -> Page {
        guard query.partition.hasPrefix("ENDED#") else { return page }
        if self == .losesShard, query.partition == "ENDED#1" || query.partition == "ENDED#3" {
            return Page(items: [], next: nil)
        }
        let items = page.items.compactMap { item -> Item? in
            var item = item
            switch self {
            case .losesEpochs: item.attributes["epoch"] = nil
            case .losesClients where item.attributes["client"] != nil: return nil
            case .losesGrantEnds:
                // A client in the settings cannot be disabled.
                guard case .text(let client)? = item.attributes["client"] else { return item }
                return client.hasPrefix("lkc_") ? item : nil
            case .listsOneSession:
                guard case .text(let ids)? = item.attributes["ids"] else { return item }
                item.attributes["ids"] = .text(String(ids.prefix { $0 != " " }))
            default: break
            }
            return item
        }
        return Page(items: items, next: page.next)
    }
}

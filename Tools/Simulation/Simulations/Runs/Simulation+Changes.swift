import AuthTestSupport
import Foundation

/// Sign-ins on the pages, changes of accounts, and the audit events about them.
extension Simulation {
    /// Somebody signs in with a provider on the server's pages, which return a code to the app.
    func openPage(_ page: URL, identityToken: String, _ origin: Origin) -> URL? {
        let items = URLComponents(url: page, resolvingAgainstBaseURL: true)?.queryItems ?? []
        func value(_ name: String) -> String { items.first { $0.name == name }?.value ?? "" }
        guard let challenge = Base64URL.decode(value("code_challenge")) else { return nil }
        var code = ""
        let tokens = signInAtProvider(identityToken, origin) { auth, tokens throws(AuthError) in
            code = try auth.signInCode(for: tokens, challenge: challenge)
        }
        guard tokens != nil else { return nil }
        tryCode(code, of: origin)
        return URL(string: "\(value("redirect_uri"))?code=\(code)&state=\(value("state"))")
    }

    /// Signs in as the pages do when the browser returns from a provider.
    func signInAtProvider(
        _ identityToken: String, _ origin: Origin,
        _ body: (AuthServices, SessionTokens) throws(AuthError) -> Void = { _, _ in }
    ) -> SessionTokens? {
        let (number, startedAt) = (-context.nextNumber(), context.scheduler.steps)
        let caller = Caller(address: origin.address)
        var nonce = ""
        let signedIn = deployment.run { auth throws(AuthError) -> SessionTokens? in
            nonce = try auth.challenge(caller).nonce
            let input = SignIn.Input(provider: "apple", idToken: identityToken, nonce: nonce)
            guard let tokens = try auth.signIn(input, caller).tokens else { return nil }
            try body(auth, tokens)
            return tokens
        }
        guard let tokens = signedIn ?? nil else { return nil }
        note(
            Exchange(
                operation: "POST /auth/signin",
                body: ["idToken": .string(identityToken), "nonce": .string(nonce)],
                bearer: nil, status: 200,
                answer: [
                    "accessToken": .string(tokens.access.reveal()),
                    "refreshToken": .string(tokens.refresh.reveal()),
                ], origin: origin, number: number, startedAt: startedAt, startedAlone: false))
        return tokens
    }

    /// Another app that has seen the code tries it without the verifier.
    private func tryCode(_ code: String, of origin: Origin) {
        guard context.happens(percent: 20) else { return }
        let thief = Origin(person: origin.person, device: 1700, process: 0, isThief: true)
        let body: JSONObject = [
            "code": .string(code), "codeVerifier": .string(String(repeating: "v", count: 43)),
        ]
        guard let answer = serve(.post("/auth/ui/token", body), thief), answer.status == 200 else {
            return
        }
        context.violate(.ownAccount, "a code of the pages is exchanged without its verifier")
    }

    // MARK: At the end

    func checkChanges() {
        // After this time, an account can no longer return to its former addresses.
        context.scheduler.clock.advance(by: .days(8))
        deployment.keepHouse()
        var accounts: [String: String] = [:]
        for user in facts.accounts.owners.keys.sorted() where !facts.mayBeGone(user) {
            guard let found = deployment.user(user), found.deletedAt == nil else { continue }
            if let wanted = facts.changes.addresses[user], found.email != wanted {
                context.violate(
                    .changeIsUndone, "an account has \(found.email ?? "no address"), not \(wanted)")
            }
            if found.hasSecondFactor, facts.changes.withoutFactor.contains(user) {
                context.violate(.changeIsUndone, "an added second factor remains")
            }
            guard let login = found.loginAddress?.text else { continue }
            if accounts.updateValue(user, forKey: login) != nil {
                context.violate(.oneAccountPerAddress, "\(login) signs in to two accounts")
            }
        }
        // Release 0.1.0 did not store the login beside the address, so such an account keeps its
        // claim.
        guard !plan.beginsWithFormer else { return }
        for (index, person) in people.enumerated() {
            for mailbox in person.mailboxes { checkMailbox(mailbox, from: 1800 + index) }
        }
    }

    /// A mailed link signs in the reader of the mailbox, to the account with the address or to a
    /// new one.
    private func checkMailbox(_ mailbox: String, from address: Int) {
        guard context.violation == nil else { return }
        if let owner = deployment.owner(of: mailbox) {
            guard let user = deployment.user(owner), user.deletedAt == nil,
                user.loginAddress?.folded == mailbox
            else {
                return context.violate(
                    .oneAccountPerAddress, "\(mailbox) is claimed, but is no account's address")
            }
            // Only the owner of the mailbox learns that another sign-in method exists.
            guard user.identities.contains(where: \.isPassword) else { return }
        }
        context.scheduler.clock.advance(by: .hours(25))
        let request = ask("/auth/magic-link", ["email": .string(mailbox)], from: address)
        let secret = request.flatMap { try? JSON.parse($0.answer.body, limits: .event) }?[
            "requestSecret"]
        deployment.keepHouse()
        let letters = facts.mails.read(
            deployment.kit.mail.mails, at: context.scheduler.steps)
        let token = letters.last { $0.to == mailbox && $0.page == "magic-link" }?.token
        let redeemed = ask(
            "/auth/magic-link/redeem",
            ["token": .string(token ?? ""), "requestSecret": secret ?? ""], from: address)
        if ![200, 201, 202].contains(redeemed?.answer.status) {
            context.violate(
                .oneAccountPerAddress,
                "\(mailbox) is free or belongs to its reader, but a mailed link is answered "
                    + "\(redeemed?.answer.status ?? 0)")
        }
    }

    /// Every event of the audit log has arrived, in the order of its chain. An event that the
    /// functions gave up arrives after an administrator resends it.
    func checkEvents() {
        guard let receiver = deployment.receiver, context.violation == nil else { return }
        sendEvents()
        let inOrder = receiver.received
        let dead = deployment.run { auth throws(AuthError) in
            let page = try auth.listDeadWebhooks(limit: 100, after: nil)
            for webhook in page.webhooks {
                _ = try auth.resendWebhook(webhook.id, by: .password, Caller())
            }
            return Set(page.webhooks.compactMap { $0.event?.id.text })
        }
        sendEvents()
        let received = Set(receiver.received)
        var logged: Set<String> = []
        for chain in deployment.auditChains() {
            let events = deployment.auditEntries(inPartition: chain).reversed().map(\.id.text)
            logged.formUnion(events)
            let known = Set(events).subtracting(dead ?? [])
            if inOrder.filter(known.contains) != events.filter(known.contains) {
                context.violate(
                    .eventsArrive,
                    "an event is lost, or out of its order: arrived "
                        + "\(inOrder.filter(known.contains)), logged \(events)")
            }
            if !received.isSuperset(of: events) {
                context.violate(.eventsArrive, "an event is lost: \(chain)")
            }
        }
        if let invented = receiver.ofAccounts.subtracting(logged).min() {
            context.violate(.eventsArrive, "an event arrived that is not logged: \(invented)")
        }
    }

    private func sendEvents() {
        for _ in 0..<3 {
            context.scheduler.clock.advance(by: .days(1))
            deployment.keepHouse()
        }
    }
}

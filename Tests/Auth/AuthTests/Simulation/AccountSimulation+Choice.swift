import AuthDomain
import AuthOperations
import AuthTestSupport
import Testing
import Time
import WebAuthn
import WebAuthnTestSupport

extension AccountSimulation {
    /// A random request of a person and its name: mostly with the person's own address, sometimes
    /// with that of another.
    func randomAction() -> (String, AccountAction) {
        let person = pick(Array(people.indices))
        if random.happens(15) {
            people[person].claim =
                random.happens(60) ? pick(people[person].mailboxes) : pick(people).address
        }
        let next = random.happens(75) ? people[person].next : []
        for name in next + (0..<4).map({ _ in pick(Self.choices) }) {
            guard let action = action(name, of: person) else { continue }
            people[person].next = Self.followers[name] ?? []
            return (name, action)
        }
        let me = people[person]
        return ("signIn", .signIn(person, subject: me.subject, email: me.address))
    }

    /// The usual next requests.
    private static let followers = [
        "register": ["verify", "verifyByCode", "logIn"], "verify": ["enrolApp"],
        "logIn": ["completeWithPasskey", "completeSignIn", "addPasskey", "enrolApp", "link"],
        "signIn": ["completeWithPasskey", "completeSignIn"], "confirmApp": ["addPasskey", "logIn"],
        "redeemMagicLink": ["completeSignIn"], "forgotPassword": ["resetByCode", "resetPassword"],
        "resetPassword": ["logIn"], "requestMagicLink": ["redeemCode", "redeemMagicLink"],
        "requestConfirmation": ["confirmEmailByCode", "confirmEmail"],
        "addPassword": ["confirmPasswordByCode", "confirmPassword"],
        "askForAddress": ["confirmEmailByCode", "confirmEmail"],
        "confirmEmail": ["undoEmail", "logIn"], "confirmEmailByCode": ["undoEmail", "logIn"],
        "undoEmail": ["logIn"],
        "enrolApp": ["confirmApp"], "link": ["merge", "signIn"],
        "signUpWithPasskey": ["addPasskey", "addPassword"],
        "addPasskey": ["signInWithPasskey", "logIn"],
        "becomeGuest": ["link", "addPasskey"],
        "signInForApp": ["redeem"], "redeem": ["redeem"],
        "stepUp": ["link", "removeMethod", "addPasskey", "enrolApp"],
    ]

    /// Each name, repeated by its weight.
    private static let choices = weights.flatMap { Array(repeating: $0.key, count: $0.value) }
        .sorted()

    private static let weights = [
        "register": 2, "verify": 1, "logIn": 3, "signIn": 3, "refresh": 2, "forgotPassword": 2,
        "resetPassword": 1, "changePassword": 2, "signOutEverywhere": 1, "administer": 1,
        "requestMagicLink": 3, "redeemMagicLink": 3, "requestConfirmation": 2,
        "confirmEmail": 1, "link": 3, "removeMethod": 3, "addPassword": 3, "confirmPassword": 1,
        "enrolApp": 4, "confirmApp": 1, "removeApp": 3, "completeSignIn": 1, "delete": 1,
        "keepHouse": 1, "signUpWithPasskey": 2, "signInWithPasskey": 3, "addPasskey": 4,
        "removePasskey": 7, "verifyByCode": 2, "resetByCode": 2, "redeemCode": 4,
        "completeWithPasskey": 6, "stepUp": 4, "becomeGuest": 2, "merge": 4,
        "askForAddress": 5, "confirmEmailByCode": 2, "confirmPasswordByCode": 4, "undoEmail": 4,
        "signInForApp": 2, "redeem": 2,
    ]

    /// nil if the person lacks the tokens or links for the request.
    private func action(_ name: String, of person: Int) -> AccountAction? {
        let me = people[person]
        switch name {
        case "register":
            return .register(person, address: me.claim, password: pick(me.passwords))
        case "logIn":
            return .logIn(person, address: me.claim, password: pick(me.passwords))
        case "signIn":
            return random.happens(70)
                ? .signIn(person, subject: me.subject, email: me.address)
                : .signIn(person, by: "google", subject: me.subject, email: "")
        case "forgotPassword": return .forgotPassword(person, address: me.claim)
        case "requestMagicLink": return .requestMagicLink(person, address: me.claim)
        case "administer":
            return held.randomElement(using: &random).map {
                .administer($0.user, pick([.disable, .enable, .enable, .enable, .signOut]))
            }
        case "keepHouse": return .keepHouse()
        case "becomeGuest": return .becomeGuest(person)
        case "merge":
            if random.happens(50) { return mergeIntoSession(of: person) }
            guard let offer = recent(me.offers) else { return nil }
            let app = random.happens(60) ? recent(me.apps) : nil
            return .merge(by: offer.session, ticket: offer.ticket, app)
        case "completeSignIn":
            guard let ticket = recent(me.tickets), let app = recent(me.apps) else { return nil }
            return .completeSignIn(person, ticket: ticket, app)
        case "signUpWithPasskey":
            return newPasskey().map { .signUp(person, with: $0) }
        case "signInWithPasskey":
            return recent(me.passkeys).map { .signIn(person, with: $0) }
        case "completeWithPasskey":
            guard let ticket = recent(me.tickets), let passkey = recent(me.passkeys) else {
                return nil
            }
            return .complete(person, ticket: ticket, with: passkey)
        case "verify", "resetPassword", "redeemMagicLink":
            return linkAction(name, of: person)
        case "signInForApp":
            return .signInForApp(person, subject: me.subject, email: "")
        case "redeem":
            return recent(me.returned).map { .redeem($0, isStolen: random.happens(15)) }
        case "undoEmail": return recent(me.undoLinks).map { .undoEmail(person, link: $0) }
        case "verifyByCode", "resetByCode", "redeemCode": return codeAction(name, of: person)
        default: return session(of: person).flatMap { sessionAction(name, $0) }
        }
    }

    private func mergeIntoSession(of person: Int) -> AccountAction? {
        guard let other = session(of: person) else { return nil }
        let mine = held.filter { $0.person == person && $0.user != other.user }
        return recent(mine).map { .merge(by: $0, into: other) }
    }

    private func linkAction(_ name: String, of person: Int) -> AccountAction? {
        let me = people[person]
        guard let link = recent(me.links) else { return nil }
        switch name {
        case "verify": return .verify(person, link: link, password: pick(me.passwords))
        case "resetPassword":
            return .resetPassword(person, link: link, password: newPassword(of: person))
        default:
            return recent(me.secrets).map { .redeemMagicLink(person, link: link, secret: $0) }
        }
    }

    private func codeAction(_ name: String, of person: Int) -> AccountAction? {
        let me = people[person]
        guard let code = recent(me.codes), let secret = recent(me.secrets) else { return nil }
        switch name {
        case "verifyByCode":
            return .verify(person, code: code, secret: secret, password: pick(me.passwords))
        case "resetByCode":
            return .resetPassword(
                person, code: code, secret: secret, password: newPassword(of: person))
        default: return .redeemMagicLink(person, code: code, secret: secret)
        }
    }

    private func sessionAction(_ name: String, _ session: Held) -> AccountAction? {
        let me = people[session.person]
        switch name {
        case "refresh": return .refresh(session.person, session.refresh)
        case "changePassword":
            let current = pick(me.passwords)
            return .changePassword(
                by: session, current: current, new: newPassword(of: session.person))
        case "signOutEverywhere": return .signOutEverywhere(by: session)
        case "requestConfirmation": return .requestConfirmation(by: session)
        case "confirmEmail": return recent(me.links).map { .confirmEmail(by: session, link: $0) }
        case "askForAddress":
            let address = random.happens(80) ? pick(me.mailboxes) : me.claim
            return .askForAddress(by: session, address: address)
        case "confirmEmailByCode", "confirmPasswordByCode":
            guard let code = recent(me.codes), let secret = recent(me.secrets) else { return nil }
            return name == "confirmEmailByCode"
                ? .confirmEmail(by: session, code: code, secret: secret)
                : .confirmPassword(by: session, code: code, secret: secret)
        case "link":
            return .link(by: session, pick(["apple", "google"]), subject: me.subject)
        case "removeMethod":
            return .removeMethod(by: session, pick(["apple", "google", "email", "password"]))
        case "addPassword":
            return .addPassword(by: session, address: me.claim, pick(me.passwords))
        case "confirmPassword":
            return recent(me.links).map { .confirmPassword(by: session, link: $0) }
        case "enrolApp": return .enrolApp(by: session)
        case "confirmApp": return recent(me.apps).map { .confirmApp(by: session, $0) }
        case "removeApp": return recent(me.apps).map { .removeApp(by: session, $0) }
        case "addPasskey": return newPasskey().map { .add($0, by: session) }
        case "removePasskey": return recent(me.passkeys).map { .remove($0, by: session) }
        case "delete": return .delete(by: session)
        case "stepUp": return stepUp(session)
        default: preconditionFailure(name)
        }
    }

    private func stepUp(_ session: Held) -> AccountAction? {
        let me = people[session.person]
        switch random.next(below: 7) {
        case 0: return .stepUp(by: session, password: pick(me.passwords))
        case 1: return recent(me.apps).map { .stepUp(by: session, app: $0) }
        case 2: return .stepUp(by: session, identity: pick(people).subject)
        case 3:
            return recent(me.passkeys).map { .stepUp(by: session, with: $0, isForeign: false) }
        case 4:
            guard let code = recent(me.codes), let secret = recent(me.secrets) else { return nil }
            return .stepUp(by: session, code: code, secret: secret)
        case 5:
            guard let link = recent(me.links), let secret = recent(me.secrets) else { return nil }
            return .stepUp(by: session, link: link, secret: secret)
        default:
            let others = people.indices.filter { $0 != session.person }
            return recent(people[pick(others)].passkeys).map {
                .stepUp(by: session, with: $0, isForeign: true)
            }
        }
    }

    /// Mostly an active session.
    private func session(of person: Int) -> Held? {
        let mine = held.filter { $0.person == person }
        let alive = mine.filter { !$0.isRevoked }.suffix(2)
        return random.happens(85) && !alive.isEmpty
            ? alive.randomElement(using: &random) : mine.randomElement(using: &random)
    }

    private func recent<Element>(_ elements: [Element]) -> Element? {
        elements.suffix(random.happens(70) ? 1 : 3).randomElement(using: &random)
    }

    /// Without faults, each person ends with a session of an account of their own: by the identity
    /// provider, and by a password, which the mail to their addresses gives them.
    func checkThatAllGetIn() throws {
        kit.clock.advance(by: .hours(2))
        for user in Set(held.map(\.user)) { try race([.administer(user, .enable)]) }
        for person in people.indices {
            let me = people[person]
            try getIn(person, .signIn(person, subject: me.subject, email: me.address))
            for address in me.mailboxes {
                people[person].links = []
                try race([.forgotPassword(person, address: address)])
                // An account that was never given a password has none to reset.
                guard let link = people[person].links.last else { continue }
                let password = newPassword(of: person)
                try race([.resetPassword(person, link: link, password: password)])
                try getIn(person, .logIn(person, address: address, password: password))
            }
        }
        // A passkey signs in to an account of its owner, or to none.
        for person in people.indices {
            for passkey in people[person].passkeys { try race([.signIn(person, with: passkey)]) }
        }
        try check()
        try checkRefreshing()
    }

    /// With the second factor, if the account has one.
    private func getIn(_ person: Int, _ signIn: AccountAction) throws {
        kit.clock.advance(by: .minutes(2))
        var outcome = try race([signIn])[0]
        if case .ticket(let ticket) = outcome {
            for app in people[person].apps.reversed() {
                outcome = try race([.completeSignIn(person, ticket: ticket, app)])[0]
                if case .session = outcome { break }
            }
        }
        guard case .session = outcome else {
            Issue.record("\(people[person].address) got \(outcome), seed \(seed)")
            return
        }
        try check()
    }

    /// Some verify their user, and are two factors.
    private func newPasskey() -> SoftwareAuthenticator? {
        var passkey = try? SoftwareAuthenticator(seed: random.next())
        if random.happens(30) { passkey?.flags = [.userPresent] }
        return passkey
    }

    private func newPassword(of person: Int) -> String {
        let password = "password \(person) number \(people[person].passwords.count)"
        people[person].passwords.append(password)
        return password
    }

    private func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(random.next(below: UInt64(elements.count)))]
    }
}

import AuthTestSupport
import LatchkeyClient

extension Simulation {
    /// After faults have ended, every honest app is signed in again after at most two attempts, and
    /// every app learns if its session has ended.
    func settle() {
        isSettling = true
        defer { isSettling = false }
        context.faultsUntil = context.scheduler.clock.now
        endWaitingTasks()
        context.transcript.add { "faults end" }
        context.scheduler.release()
        for device in devices { device.disk.isLocked = false }
        finishAll()
        deployment.keepHouse()
        readLetters()
        // After this time, each device has tried again to store or remove its record.
        context.scheduler.pass(.seconds(16))
        for device in devices where context.violation == nil { checkApp(of: device) }
        settlePrograms()
        tryEndedSessions()
        // After this time, each device has stored the record that it could not store before.
        context.scheduler.pass(.seconds(70))
        settleDevices()
        settleLogout()
        tryRetiredKeys()
        settleDocuments()
    }

    /// Sends an old access token of each retired key, for the observers to judge the responses.
    private func tryRetiredKeys() {
        guard dialect.has(.profile) else { return }
        for token in facts.keys.tokensOfRetired() where context.violation == nil {
            let request = WireRequest(
                method: "GET", path: "/auth/me", query: "",
                headers: [(name: "Authorization", value: "Bearer \(token)")], body: [])
            let origin = Origin(person: 0, device: 1600, process: 0, isThief: true)
            _ = serve(dialect.request(request), origin)
        }
    }

    /// Sends the tokens of ended sessions, for the observers to judge the responses.
    private func tryEndedSessions() {
        for (_, token) in facts.sessions.newlyEnded() where context.violation == nil {
            _ = ask("/auth/refresh", ["refreshToken": .string(token)], from: 500)
        }
    }

    func finishAll() {
        var left = 50_000
        while isBusy, left > 0, context.violation == nil {
            left -= 1
            if !context.scheduler.step() {
                return context.violate(.alwaysAnswers, "a call waits for nothing")
            }
        }
        if isBusy, context.violation == nil {
            context.violate(.alwaysAnswers, "a call does not end")
        }
    }

    private func checkApp(of device: Device) {
        guard let tokens = device.keptTokens,
            let session = facts.session(ofAccess: tokens.access)
        else { return }
        if device.signedOut[session] != nil {
            return context.violate(
                .signedOutHere, "device \(device.number) keeps tokens after its sign-out")
        }
        guard let fact = facts.sessions[session] else { return }
        let (wasAlive, mustGoOn) = (fact.endedAt == nil, facts.mustGoOn(session))
        var results: [CallResult] = []
        for attempt in 0..<3 {
            if attempt == 2 {
                // A function that has not read the keys again still signs with a retired key.
                guard facts.keys.mayDiffer(at: facts.now) else { break }
                context.scheduler.pass(.minutes(1))
            }
            // The second attempt waits for the time that the server has requested.
            if attempt == 1 { context.scheduler.pass(.seconds(3)) }
            // Reads the store, as an app does when it comes to the foreground.
            call(.startApp, device, app: 0, choice: 0) { _ in }
            finishAll()
            var result = CallResult.skipped
            call(.profile, device, app: 0, choice: 0) { result = $0 }
            finishAll()
            results.append(result)
            if result.isSuccess || result == .signInAgain || result == .signedOut { break }
        }
        guard context.violation == nil, let last = results.last else { return }
        // Each check makes two refreshes, which exceeds the limits of some contracts.
        let isLimited = !dialect.hasEverything && last == .later("rate limited")
        if mustGoOn, !device.isThief, !last.isSuccess, !isLimited {
            context.violate(
                .honestStaysSignedIn,
                "device \(device.number) is not signed in again: \(results.map(\.name))")
        }
        let hasLearnt = last == .signedOut || last == .signInAgain || isLimited
        if !wasAlive, !last.isSuccess, !hasLearnt {
            context.violate(
                .endIsLearnt,
                "device \(device.number) does not learn that its session has ended: \(last.name)")
        }
        // The app may have another session in memory that the device could not store.
        if !wasAlive, case .success(let token?) = last, facts.session(ofAccess: token) == session {
            context.violate(
                .endIsLearnt,
                "device \(device.number) does not learn that its session has ended: \(fact.end)")
        }
    }

    // MARK: At the end

    func checkAtTheEnd() {
        isProbing = true
        defer { isProbing = false }
        deployment.running.admitsOthers = false
        context.scheduler.clock.advance(by: .hours(30))
        // Finishes the deployment, because warm functions make fewer store calls.
        deployment.fleet.finishDeployment()
        enableEverybody()
        checkPasswords()
        checkThatAllGetIn()
        if dialect.hasEverything { checkThatFactorsWork() }
        checkShapes()
        checkAudit()
        checkGrants()
        checkMerges()
        checkPrograms()
        if parameters.features.contains(.accountChanges) { checkChanges() }
        checkEvents()
    }

    func ask(
        _ path: String, _ body: JSONObject, from address: Int
    ) -> (answer: WireAnswer, calls: Int)? {
        ask(
            path, body,
            by: Origin(person: 0, device: 1000 + address, process: 0, isThief: false))
    }

    func ask(
        _ path: String, _ body: JSONObject, by origin: Origin
    ) -> (answer: WireAnswer, calls: Int)? {
        let request = dialect.request(.post(path, body))
        guard let answer = serve(request, origin) else { return nil }
        return (answer, deployment.callsBeforeReply)
    }

    /// The last acknowledged password works, and no former one does.
    private func checkPasswords() {
        for (index, entry) in facts.passwords.clear.enumerated() where context.violation == nil {
            let fact = entry.password
            func status(_ password: String) -> Int? {
                ask(
                    "/auth/login",
                    ["email": .string(fact.login), "password": .string(password)],
                    from: index)?.answer.status
            }
            let current = status(fact.current)
            // Status 202 asks for a second factor.
            if let current, ![200, 202, 429].contains(current) {
                context.violate(
                    .acknowledgedStays,
                    "\(fact.login) cannot sign in with the password that was acknowledged: "
                        + "\(current)")
            }
            for former in fact.former.suffix(2) where former != fact.current {
                if [200, 202].contains(status(former)) {
                    context.violate(
                        .acknowledgedStays, "a former password of \(fact.login) works")
                }
            }
        }
    }

    /// Responses do not reveal whether an address has an account.
    private func checkShapes() {
        guard let known = facts.passwords.all.values.map(\.login).min() else { return }
        context.scheduler.clock.advance(by: .hours(30))
        let unknown = known.replacing("person", with: "nobody")
        // The first request reads the signing keys, and so differs from later ones.
        _ = ask("/auth/login", ["email": .string(unknown), "password": "any"], from: 99)
        let paths: [(String, ClientOperation)] = [
            ("forgot-password", .forgotPassword), ("magic-link", .requestLink), ("login", .logIn),
        ]
        for (index, (path, operation)) in paths.enumerated() where dialect.has(operation) {
            var shapes: [String] = []
            for (number, email) in [known, unknown].enumerated() {
                var body: JSONObject = ["email": .string(email)]
                if path == "login" { body["password"] = "not the password" }
                let asked = ask("/auth/\(path)", body, from: 100 + index * 2 + number)
                shapes.append(asked.map { Self.shape($0.answer, calls: $0.calls) } ?? "nothing")
            }
            if shapes[0] != shapes[1] {
                context.violate(
                    .sameShape, "\(path): known \(shapes[0]), unknown \(shapes[1])")
            }
        }
    }

    private static func shape(_ answer: WireAnswer, calls: Int) -> String {
        let body = (try? JSON.parse(answer.body, limits: .event)) ?? .object([:])
        let headers = answer.headers.map(\.name).sorted().joined(separator: " ")
        return "\(answer.status) [\(headers)] \(shape(of: body)), \(calls) store calls"
    }

    /// The names of members, and the lengths of texts.
    private static func shape(of json: JSON) -> String {
        if let object = json.objectValue {
            let members = object.members.map { "\($0.name): \(shape(of: $0.value))" }
            return "{\(members.joined(separator: ", "))}"
        }
        return json.stringValue.map { "text(\($0.utf8.count))" } ?? "value"
    }

    private func checkAudit() {
        var place: String?
        repeat {
            let report: VerifyAudit.Report
            do {
                report = try deployment.kit.auth.verifyAudit(after: place, until: nil)
            } catch {
                return context.violate(.auditVerifies, "the audit log cannot be read: \(error)")
            }
            if let finding = report.findings.first {
                return context.violate(.auditVerifies, "\(finding.defect) in \(finding.chain)")
            }
            place = report.next
        } while place != nil
        for (user, events) in facts.accounts.acknowledged.sorted(by: { $0.key < $1.key }) {
            guard let id = UserID(parsing: user) else { continue }
            let found = deployment.auditEntries(inPartition: AuditChain.account(id).partition).map(
                \.event)
            for (event, count) in events {
                let logged = found.count { $0 == event.rawValue }
                guard logged < count else { continue }
                context.violate(
                    .auditVerifies, "\(count) acknowledged \(event), \(logged) in the audit log")
            }
        }
    }

    private func checkGrants() {
        for grant in deployment.storage.asked {
            if grant.lifetime > .hours(1) {
                context.violate(.credentialsWithinBounds, "a grant of \(grant.lifetime.seconds) s")
            }
        }
    }

    func checkCredentials(_ text: String, _ device: Device) {
        let parts = text.split(separator: "|").map(String.init)
        guard parts.count == 2, let life = Int(parts[1]) else { return }
        let mine = facts.accounts.owners.filter { $0.value == device.person || device.isThief }.keys
        if !mine.contains(where: { parts[0].hasPrefix("users/\($0)/") }) {
            context.violate(.credentialsWithinBounds, "credentials for \(parts[0])")
        }
        // A clock that is wrong may differ by more than a minute.
        if device.skew == 0, life > 3600 + 60 {
            context.violate(.credentialsWithinBounds, "credentials of \(life) s")
        }
    }
}

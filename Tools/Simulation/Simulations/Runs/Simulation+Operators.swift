import AuthTestSupport

/// Actions of operators.
enum OperatorTask: Sendable {
    case disableUser, enableUser, signOutUser
    /// Begins the next deployment, or finishes the current one.
    case deploy
    case rotateKey, retireKey
}

extension ClientCall {
    var operatorTask: OperatorTask? {
        switch self {
        case .disableUser: .disableUser
        case .enableUser: .enableUser
        case .signOutUser: .signOutUser
        case .deploy: .deploy
        case .rotateKey: .rotateKey
        case .retireKey: .retireKey
        default: nil
        }
    }
}

extension Simulation {
    func begin(_ task: OperatorTask, _ step: Plan.Step) {
        if step.choice % 2 == 0 { return waitingTasks.append((task, step)) }
        add(task, step)
    }

    /// Requests that write the row of the account.
    private static let writers: Set<String> = [
        "POST /auth/change-password", "POST /auth/reset-password", "POST /auth/totp/confirm",
        "POST /auth/totp/remove", "POST /auth/methods", "POST /auth/passkeys", "POST /auth/merge",
        "DELETE /auth/account",
    ]

    /// An administrator changes the account while a function changes it.
    func operate(beside operation: String, _ origin: Origin) {
        guard !isSettling, Self.writers.contains(operation),
            let index = waitingTasks.firstIndex(where: {
                $0.step.device / Plan.devices == origin.person
            })
        else { return }
        let (task, step) = waitingTasks.remove(at: index)
        add(task, step)
    }

    /// Performs the tasks that are still waiting for a concurrent request.
    func endWaitingTasks() {
        for (task, step) in waitingTasks { perform(task, step) }
        waitingTasks = []
    }

    /// Adds a task as a message, so that it can also run while functions wait for the store.
    private func add(_ task: OperatorTask, _ step: Plan.Step) {
        context.scheduler.add(
            Scheduler.Event(
                process: nil, isMessage: true, happen: { [self] in perform(task, step) },
                abandon: {}))
    }

    private func perform(_ task: OperatorTask, _ step: Plan.Step) {
        switch task {
        case .disableUser, .enableUser, .signOutUser:
            let owned = facts.accounts.accounts(of: step.device / Plan.devices)
            guard !owned.isEmpty else { return }
            administer(owned[step.choice % owned.count], task)
        case .deploy:
            context.transcript.add { "a deployment begins, or ends" }
            do {
                try deployment.fleet.deploy()
            } catch {
                context.violate(.alwaysAnswers, "new settings: \(error)")
            }
        case .rotateKey:
            let change = deployment.run { auth throws(AuthError) in
                try auth.rotateKeys(Caller())
            }
            if change ?? nil != nil { context.transcript.add { "a new signing key is made" } }
        case .retireKey: retireKey()
        }
    }

    private func administer(_ user: String, _ task: OperatorTask) {
        let change: AdministerUser.Change =
            switch task {
            case .disableUser: .disable
            case .signOutUser: .signOut
            default: .enable
            }
        let number = -context.nextNumber()
        let startedAt = context.scheduler.steps
        let call = history?.tick() ?? 0
        facts.prepareAdministration(change, of: user, number: number)
        let done =
            deployment.flaws.flaw == .administersNothing
            || deployment.run {
                auth throws(AuthError) in
                _ = try auth.administerUser(user, change, by: .password, Caller())
            } != nil
        context.transcript.add { "administrator: \(change) → \(done ? "done" : "failed")" }
        if let history {
            facts.record(change, of: user, in: history, call: call, hasAnswer: done)
        }
        facts.noteAdministration(
            change, isDone: done, of: user, number: number, startedAt: startedAt)
    }

    /// Retires the newest key, as if it had been stolen.
    private func retireKey() {
        guard let kid = facts.keys.latest else { return }
        let change = deployment.run { auth throws(AuthError) in
            try auth.rotateKeys(retiring: kid, Caller())
        }
        guard change ?? nil != nil else { return }
        context.transcript.add { "a signing key is retired" }
        facts.keys.retire(kid, at: facts.now)
    }

    /// Enables all accounts, so that everybody can sign in again.
    func enableEverybody() {
        for user in facts.accounts.disabled.keys.sorted() { administer(user, .enableUser) }
    }
}

/// Watches one invariant. It sees what an outside observer sees: requests, answers and mails.
protocol Observer {
    var invariant: Invariant { get }

    /// - Parameter facts: the facts known before this exchange.
    /// - Returns: how the exchange breaks the invariant; nil if it does not.
    mutating func judge(_ seen: Seen, _ facts: Facts) -> String?
    mutating func judge(_ letter: MailFacts.Letter, _ facts: Facts) -> String?
    mutating func judge(_ notice: ShownNotice, _ facts: Facts) -> String?
}

extension Observer {
    mutating func judge(_ seen: Seen, _ facts: Facts) -> String? { nil }
    mutating func judge(_ letter: MailFacts.Letter, _ facts: Facts) -> String? { nil }
    mutating func judge(_ notice: ShownNotice, _ facts: Facts) -> String? { nil }
}

/// All observers, in the order in which they judge.
struct Observers {
    private var all: [any Observer]

    init(_ policy: MailBudgetFacts, hooks: AppHooks?, _ features: Set<Feature>) {
        all = [
            WithinLimits(), HonestStaysSignedIn(), RevokedStaysRevoked(), ExpiredIsRefused(),
            OneSuccessor(), SpentIsRefused(), SingleUse(), OwnAccount(), SecondFactorAsked(),
            MailWithinBudget(policy),
        ]
        if let hooks, features.contains(.hooks) { all.append(HookDecides(hooks)) }
        guard features.contains(.provider) else { return }
        all +=
            [
                CodeGivesOnce(), ClientIsProven(), AnswerIsTheClients(), GrantStaysEnded(),
                ConsentPrecedes(), AudienceIsKept(), GrantHasOneSuccessor(), SpentGrantIsRefused(),
                AccessIsKept(), IdentityFits(), ErrorsAreStandard(), ProgramStaysEnded(),
            ] as [any Observer]
        if features.contains(.boundTokens) { all.append(KeyIsProven()) }
        if features.contains(.clientDocuments) { all.append(DescriptionIsKept()) }
        if let hooks, features.contains(.authorizeHook) { all.append(HookAgrees(hooks)) }
        if features.contains(.devices) {
            all += [DeviceGivesOnce(), DeviceIsAllowed(), DeviceIsHeard(), CodesAreCounted()]
        }
        if features.contains(.logout) {
            all += [ProgramsAreTold(), NoticeFits(), SignOutIsMeant()] as [any Observer]
        }
    }

    mutating func judge(_ seen: Seen, _ facts: Facts, _ context: SimulationContext) {
        for index in all.indices {
            if let text = all[index].judge(seen, facts) {
                context.violate(all[index].invariant, text)
            }
        }
    }

    mutating func judge(_ notice: ShownNotice, _ facts: Facts, _ context: SimulationContext) {
        for index in all.indices {
            if let text = all[index].judge(notice, facts) {
                context.violate(all[index].invariant, text)
            }
        }
    }

    mutating func judge(
        _ letter: MailFacts.Letter, _ facts: Facts, _ context: SimulationContext
    ) {
        for index in all.indices {
            if let text = all[index].judge(letter, facts) {
                context.violate(all[index].invariant, text)
            }
        }
    }
}

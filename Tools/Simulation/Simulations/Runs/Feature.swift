import AuthTestSupport

/// A part of the system that only some runs have: with all parts at once, few flows would complete.
package enum Feature: String, CaseIterable, Sendable {
    case hooks, webhooks, mailBudget, accountChanges, shortGuests, provider
    // These features occur only in some runs with `provider`.
    case boundTokens, clientDocuments, authorizeHook, programsEnd
    case revocations
    // These features also occur only in some runs with `provider`. New features follow at the end,
    // so that the draws of the others do not change.
    case devices, logout

    package var meaning: String {
        switch self {
        case .hooks:
            "functions of the app are asked before sign-ups and sign-ins, for claims, and about "
                + "the users of a former system; they refuse, fail, and answer late"
        case .webhooks:
            "a server receives the events of the audit log; it refuses some, and answers others "
                + "late"
        case .mailBudget:
            "at most three mails a day to one address, and four mails an hour to unknown "
                + "recipients"
        case .accountChanges:
            "users change their addresses and ways to sign in, undo the changes, merge accounts, "
                + "prove again who they are, and sign in on the pages"
        case .shortGuests: "a guest ends after an hour without use"
        case .provider:
            "programs of other parties ask for access: people sign in and decide on the pages, "
                + "programs exchange codes, refresh, revoke and use tokens, some of their own, "
                + "resource servers ask about them and exchange them, administrators add and "
                + "disable programs, and thieves use codes and tokens where they do not belong"
        case .boundTokens:
            "some of these programs have a key to which their tokens are bound; thieves use codes "
                + "and tokens without it, with another key, and with proofs that they have seen"
        case .clientDocuments:
            "some programs describe themselves at the URL that is their ID; the documents change, "
                + "remove addresses and keys, are damaged, and cannot be reached"
        case .authorizeHook:
            "a function of the app is asked about programs' requests; it refuses some, and demands "
                + "that the person is asked, or proves again who they are"
        case .programsEnd:
            "administrators delete programs, disable them and end all that people have granted "
                + "them while their requests are answered, and replace their secrets; programs "
                + "that have registered themselves are forgotten after some days"
        case .revocations:
            "a server that verifies access tokens by itself polls the revocation list, "
                + "through a cache"
        case .devices:
            "devices without a keyboard show codes, which people type in their browsers: codes of "
                + "their own devices, of other people's devices and of thieves' devices, and "
                + "guessed codes; devices ask too early, several times at once, and with codes of "
                + "other devices"
        case .logout:
            "some programs are notified when sessions end, at servers that are slow, fail, "
                + "refuse, and are down for a while; the programs send people to sign out, with ID "
                + "tokens of this session and of other sessions"
        }
    }

    /// Whether the feature belongs to the provider, and needs `provider`.
    var isOfProvider: Bool {
        switch self {
        case .boundTokens, .clientDocuments, .authorizeHook, .programsEnd, .devices, .logout: true
        case .hooks, .webhooks, .mailBudget, .accountChanges, .shortGuests, .provider,
            .revocations:
            false
        }
    }

    /// - Returns: the features of the run with this seed.
    static func drawn(for seed: UInt64) -> Set<Feature> {
        var random = SplitMix64(seed: seed &* 0xD6E8_FEB8_6659_FD93 &+ 3)
        let drawn = allCases.filter { feature in
            random.happens(feature == .accountChanges ? 40 : feature.isOfProvider ? 50 : 30)
        }
        return Set(drawn.filter { !$0.isOfProvider || drawn.contains(.provider) })
    }

    func change(_ policy: inout Policy) {
        switch self {
        case .mailBudget:
            policy.mailBudget = MailBudget(perHour: 4, perDay: 12, perRecipient: 3)
        case .shortGuests: policy.guests?.lifetime = .hours(1)
        case .boundTokens: policy.proofs?.mode = .optional
        case .hooks, .webhooks, .accountChanges, .provider, .clientDocuments, .authorizeHook,
            .programsEnd, .devices, .logout:
            break
        case .revocations: policy.revocations = RevocationPolicy()
        }
    }
}

extension Set<Feature> {
    /// The features together with those that they need.
    var withNeeded: Set<Feature> { contains(where: \.isOfProvider) ? union([.provider]) : self }
}

@Suite("Merging a guest") struct MergeAccountsTests {
    @Test func `no merge is offered for a disabled account`() throws {
        for isDeleted in [true, false] {
            let scene = try MergeScene()
            try scene.kit.change(scene.owner.user.id) {
                if isDeleted {
                    $0.deletedAt = scene.clock.now
                } else {
                    $0.isDisabled = true
                }
            }
            expectError(.method(.takenByOtherAccount)) { try scene.offer() }
        }
    }

    @Test func `the identity token of an offer is used up`() throws {
        let scene = try MergeScene()
        let input = LinkIdentity.Input(scene.kit.proof("google", "ada"))
        let caller = scene.kit.caller(scene.guest)
        _ = try scene.kit.auth.linkIdentity(input, caller)
        let again = scene.kit.error { _ = try scene.kit.auth.linkIdentity(input, caller) }
        expectEqual(again, .signIn(.identityTokenReused))
    }

    @Test func `a repeated request gets the same session, for a minute`() throws {
        let scene = try MergeScene()
        let ticket = try scene.offer()
        let first = try scene.merge(ticket)
        scene.clock.advance(by: .seconds(59))
        let again = try scene.merge(ticket)
        expectEqual(again.session, first.session)
        expectEqual(again.refresh.reveal(), first.refresh.reveal())
        try expectEqual(scene.kit.sessions(of: scene.owner.user.id).count, 2)
        // Somebody else who has the ticket gets nothing.
        let other = try scene.kit.guest()
        expectEqual(scene.kit.mergeError(ticket, by: other), .method(.mergeInvalid))
        scene.clock.advance(by: .seconds(1))
        expectEqual(scene.kit.mergeError(ticket, by: scene.guest), .accessToken(.sessionEnded))
    }

    @Test func `after the session was used or ended, a repeated request is refused`() throws {
        for isUsed in [true, false] {
            let scene = try MergeScene()
            let ticket = try scene.offer()
            let first = try scene.merge(ticket)
            if isUsed {
                _ = try scene.kit.refresh(first)
            } else {
                try scene.kit.signOut(first, .session)
            }
            expectEqual(scene.kit.mergeError(ticket, by: scene.guest), .accessToken(.sessionEnded))
        }
    }

    @Test func `a ticket is valid only in the session that presented the identity`() throws {
        let scene = try MergeScene()
        let kit = scene.kit
        let ticket = try scene.offer()
        let other = try kit.guest()
        expectEqual(kit.mergeError(ticket, by: other), .method(.mergeInvalid))
        expectEqual(kit.mergeError(ticket, by: scene.owner), .method(.mergeInvalid))
        for text in ["", "x", String(ticket.dropLast(2)) + "AA", try kit.offer(by: other)] {
            expectEqual(kit.mergeError(text, by: scene.guest), .method(.mergeInvalid), "\(text)")
        }
        _ = try scene.merge(ticket)
    }

    @Test func `the refresh token must be the session's own`() throws {
        let scene = try MergeScene()
        let (kit, guest) = (scene.kit, scene.guest)
        let ticket = try scene.offer()
        for token in [try kit.guest().refresh.reveal(), scene.owner.refresh.reveal()] {
            expectEqual(kit.mergeError(ticket, by: guest, refresh: token), .refreshToken(.unknown))
        }
        expectEqual(kit.mergeError(ticket, by: guest, refresh: "x"), .refreshToken(.malformed))
        let next = try kit.refresh(guest)
        // The replaced token is good as long as a refresh with it is.
        scene.clock.advance(by: .seconds(59))
        _ = try kit.merge(ticket, by: next, refresh: guest.refresh.reveal())
    }

    @Test func `a replaced refresh token ends the session`() throws {
        let scene = try MergeScene()
        let (kit, guest) = (scene.kit, scene.guest)
        let ticket = try scene.offer()
        _ = try kit.refresh(guest)
        scene.clock.advance(by: .seconds(60))
        expectEqual(kit.mergeError(ticket, by: guest), .refreshToken(.reusedPrevious))
        expectEqual(kit.mergeError(ticket, by: guest), .accessToken(.sessionEnded))
        try expectEqual(kit.audit(of: guest.user.id).last, "refreshTokenReused")
        try expectEqual(kit.user(guest.user.id)?.deletedAt, nil)
    }

    enum Change: CaseIterable, Sendable {
        case ownerSignsOut, ownerIsDisabled, ownerIsDeleted, ownerRemovesTheMethod
        case guestIsDisabled, guestSignsOut, guestBecomesAccount
    }

    private func perform(_ change: Change, _ scene: MergeScene) throws {
        let kit = scene.kit
        switch change {
        case .ownerSignsOut:
            try kit.signOut(scene.owner, .all)
        case .ownerIsDisabled: try kit.disable(scene.owner.user)
        case .ownerIsDeleted:
            let caller = kit.caller(scene.owner)
            try kit.auth.deleteAccount(
                try kit.auth.authenticate(caller, for: .deleteAccount), caller)
        case .ownerRemovesTheMethod:
            try kit.link("apple", "001", by: scene.owner)
            _ = try kit.auth.removeMethod("google", kit.caller(scene.owner))
        case .guestIsDisabled: try kit.disable(scene.guest.user)
        case .guestSignsOut:
            try kit.signOut(scene.guest, .session)
        case .guestBecomesAccount: try kit.link("apple", "002", by: scene.guest)
        }
    }

    private func refusal(after change: Change) -> AuthError {
        switch change {
        case .ownerSignsOut, .ownerIsDisabled, .ownerIsDeleted, .ownerRemovesTheMethod:
            .method(.mergeInvalid)
        case .guestIsDisabled: .account(.disabled)
        case .guestSignsOut: .accessToken(.sessionEnded)
        case .guestBecomesAccount: .recentSignInRequired()
        }
    }

    /// Before the request, and between its read and its write.
    @Test(arguments: Change.allCases, [true, false])
    func `a change of either account invalidates the ticket`(
        change: Change, isConcurrent: Bool
    ) throws {
        let scene = try MergeScene()
        let ticket = try scene.offer()
        if isConcurrent {
            scene.store.beforeNextWrite { try self.perform(change, scene) }
        } else {
            try perform(change, scene)
        }
        expectEqual(scene.kit.mergeError(ticket, by: scene.guest), refusal(after: change))
        try expectEqual(scene.kit.user(scene.guest.user.id)?.deletedAt, nil)
        #expect(try scene.kit.mergeJobs().isEmpty)
    }

    @Test func `two concurrent requests merge once`() throws {
        let scene = try MergeScene()
        let ticket = try scene.offer()
        scene.store.beforeNextWrite { _ = try scene.merge(ticket) }
        let tokens = try scene.merge(ticket)
        try expectEqual(scene.kit.sessions(of: scene.owner.user.id).count, 2)
        try expectEqual(scene.kit.mergeJobs().count, 1)
        _ = try scene.kit.authenticate(tokens)
        try expectEqual(scene.kit.audit(of: scene.owner.user.id).count { $0 == "accountMerged" }, 1)
    }

    @Test func `a guest is merged into only one account`() throws {
        let scene = try MergeScene()
        let kit = scene.kit
        let other = try kit.signIn("apple", "001", "").user
        let tickets = (try scene.offer(), try kit.offer("apple", "001", by: scene.guest))
        scene.store.beforeNextWrite { _ = try scene.merge(tickets.0) }
        expectEqual(kit.mergeError(tickets.1, by: scene.guest), .accessToken(.sessionEnded))
        try expectEqual(kit.user(scene.guest.user.id)?.mergedInto, scene.owner.user.id)
        #expect(try !kit.audit(of: other.id).contains("accountMerged"))
    }

    @Test func `the sweep of guests skips a merged one`() throws {
        let scene = try MergeScene()
        scene.fill()
        _ = try scene.merge(try scene.offer())
        scene.kit.finishReply()
        scene.clock.advance(by: .days(31))
        try expectEqual(scene.kit.sweep()["obsolete"], 1)
        #expect(scene.isMoved)
    }
}

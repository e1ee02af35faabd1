internal import AuthDomain
internal import AuthOperations
internal import AuthRecords
internal import Bytes
internal import Contracts
internal import HTML
internal import Time

/// The events of an account, and its present sessions, devices and passkeys.
struct UserTimeline {
    let page: AdminPage
    let user: InspectedUser
    /// The administrators who caused the events.
    let makers: [User]

    private var texts: AdminTexts { page.texts }

    private struct Line {
        let at: Instant
        let title: String
        /// The reason, in a sentence.
        let why: String
        /// Where the event happened, and who caused it.
        let about: [String]
        var maker: HTML?
        var mail: Mail.Kind?
        var mark = HTML()
        /// Whether the event was refused or failed. Such events are highlighted.
        var isBad = false
    }

    func html(isFirst: Bool) -> HTML {
        let showsRefreshes = page.call.query("refreshes") != nil
        let events = user.events.events.filter {
            showsRefreshes || $0.entry.event != AuditEvent.refreshed.rawValue
        }
        let hidden = user.events.events.count - events.count
        let path = page.userPath(page.shownID(user.user))
        let older: HTML =
            user.events.next.map { next in
                """
                <p class="links"><a href="\(page.address(path, [("after", next)]))">\
                \(texts(.timelineOlder))</a></p>
                """
            } ?? HTML()
        return """
            <h2>\(texts(.timelineTitle))</h2>
            \(page.integrity(of: user.events, isFirst: isFirst))
            <p class="soft">\(texts(.timelineAbout))</p>
            \(refreshes(hidden, at: path))
            <ul>
            \(HTML(joining: events.map(line).map(html)))</ul>
            \(older)
            """
    }

    /// The present sessions, devices and passkeys of the account, each kind in its own list.
    var belongings: HTML {
        let sessions = user.sessions.map(line)
        let devices = user.devices.map(line)
        let lists = [
            (AdminText.timelineSessions, sessions), (.timelineDevices, devices),
            (.timelinePasskeys, passkeys), (.timelineApps, applications),
        ]
        return HTML(
            joining: lists.filter { !$0.1.isEmpty }.map { title, lines in
                """
                <h2>\(texts(title)) (\(String(lines.count)))</h2>
                <ul>
                \(HTML(joining: lines.map(html)))</ul>

                """
            })
    }

    private func refreshes(_ hidden: Int, at path: String) -> HTML {
        guard hidden > 0 else { return HTML() }
        let words = texts.count(Int64(hidden), .timelineRefresh, .timelineRefreshes)
        return """
            <p class="links"><a href="\(page.address(path, [("refreshes", "shown")]))">\(words)\
            </a></p>
            """
    }

    private func html(_ line: Line) -> HTML {
        let about = [line.maker].compactMap(\.self) + line.about.map { "\($0)" as HTML }
        return """
            <li class="line\(line.isBad ? " bad" : "")">\(page.time(line.at))<span>\(line.title)\
            <small>\(line.why)\(mail(line.mail))</small>\
            <small>\(HTML(joining: about, separator: " · "))</small></span>\
            \(line.mark)</li>

            """
    }

    private func mail(_ kind: Mail.Kind?) -> HTML {
        guard let kind else { return HTML() }
        let path = page.address("\(AdminConsole.mailsPath)/\(kind.rawValue)")
        let name: HTML =
            page.console.users.isWhole
            ? "<a href=\"\(path)\">\(texts(kind.title))</a>" : "\(texts(kind.title))"
        return " · \(texts.html(.timelineMail, "kind", name))"
    }

    // MARK: Lines

    private func line(_ event: CheckedEvents.Event) -> Line {
        let entry = event.entry
        let known = AuditEvent(rawValue: entry.event)
        let dropped = known == .mailDropped ? DroppedMail(detail: entry.detail) : nil
        var why =
            (dropped?.reason).map { texts($0.text) } ?? known.map { texts.events(.why($0)) } ?? ""
        if let reason = entry.reason {
            why += " " + texts(.timelineReason, "reason", reason)
        }
        let isInvitation =
            known == .passwordResetRequested
            && entry.detail?.isSame(as: Mail.Kind.invitation.rawValue) ?? false
        let title =
            isInvitation
            ? texts(.timelineInvitation) : known.map { texts.events(.title($0)) } ?? entry.event
        // For these events, the title or the mail already says what the detail says.
        let isDetailKnown =
            isInvitation || dropped?.kind != nil || known == .verificationRequested
        return Line(
            at: entry.at, title: title, why: why,
            about: [
                isDetailKnown ? nil : entry.detail.map(texts.detail), entry.address,
                entry.userAgent.map { UserAgentName($0).text }, entry.session.map(session),
            ].compactMap(\.self),
            maker: entry.maker.map { page.by($0, makers) },
            mail: dropped?.kind ?? mail(of: entry, known),
            mark: page.mark(event), isBad: known?.succeeded == false)
    }

    private func session(_ id: SessionID) -> String {
        texts(.timelineInSession, "id", String(id.text.prefix(8)))
    }

    /// The mail that the event caused. If someone registers with the address of an existing
    /// account, its owner gets a mail of another kind, and no mail for further links. If an
    /// administrator mails a link, the mail has a separate event.
    private func mail(of entry: AuditEntry, _ event: AuditEvent?) -> Mail.Kind? {
        if event == .passwordResetRequested {
            guard entry.maker == nil else { return nil }
            return entry.detail.flatMap(Mail.Kind.init(rawValue:)) ?? .resetPassword
        }
        guard event == .verificationRequested, let detail = entry.detail,
            entry.at > user.user.createdAt
        else { return event?.mail }
        return detail.isSame(as: "register") ? .alreadyRegistered : nil
    }

    private func line(_ session: Session) -> Line {
        return Line(
            at: session.lastUsedAt, title: texts(.timelineSession),
            why: texts(
                .timelineSessionAbout, "way", way(into: session), "time",
                texts.time(session.expiresAt)),
            about: [
                session.origin.deviceName,
                session.origin.userAgent.map { UserAgentName($0).text }, session.origin.address,
                self.session(session.id),
            ].compactMap(\.self))
    }

    private func way(into session: Session) -> String {
        switch session.proofs.signIn.methods.first {
        case .password: texts(.methodPassword)
        case .mailedLink: texts(.methodMailedLink)
        case .passkey, .verifiedPasskey: texts(.methodPasskey)
        case .guest, .identityProvider, .authenticatorApp, .recoveryCode, nil:
            texts.method(session.origin.provider)
        }
    }

    private func line(_ device: Device) -> Line {
        let isTrusted = device.trust.map { $0.epoch == user.user.epoch } ?? false
        // The first device of a new account is expected.
        let isNoticed =
            device.firstSeenAt - user.user.createdAt >= .hours(1)
            || user.devices.contains { $0.firstSeenAt < device.firstSeenAt }
        return Line(
            at: device.firstSeenAt, title: texts(.timelineDevice),
            why: texts(isTrusted ? .timelineDeviceTrusted : .timelineDeviceAbout),
            about: [
                device.name, device.system, device.userAgent.map { UserAgentName($0).text },
                device.address,
            ].compactMap(\.self), mail: isNoticed ? .newDevice : nil)
    }

    private var applications: [Line] {
        user.applications.map { application in
            Line(
                at: application.since, title: application.name,
                why: application.lastUsedAt.map { used in
                    texts(.timelineAppUsed, "time", texts.time(used))
                } ?? texts(.timelineAppUnused),
                about: application.scope, mark: users(of: application))
        }
    }

    private func users(of application: GrantedApplication) -> HTML {
        guard page.auth.policy.oauth != nil else { return HTML() }
        return page.link(page.clientUsersPath(application.id), .timelineAppUsers)
    }

    private var passkeys: [Line] {
        user.passkeys.map { passkey in
            Line(
                at: passkey.createdAt, title: texts(.timelinePasskey),
                why: texts(.timelinePasskeyAbout, "time", texts.time(passkey.lastUsedAt)),
                about: [passkey.name].compactMap(\.self))
        }
    }
}

extension AdminPage {
    /// Whether the events are unchanged since they were written.
    func integrity(of events: CheckedEvents, isFirst: Bool = true) -> HTML {
        let isGenuine = events.events.allSatisfy(\.isGenuine) && events.findings.isEmpty
        guard isGenuine else {
            let found = events.findings.map(text).joined(separator: ", ")
            let words = texts(
                .logTampered, "findings", found.isEmpty ? texts(.logOneForged) : found)
            return "<p class=\"says bad\" role=\"alert\">\(words)</p>"
        }
        let count = Int64(events.events.count)
        guard count > 0 else { return HTML() }
        let words =
            if !isFirst {
                texts.count(count, .logSealedOne, .logSealed)
            } else if events.next == nil {
                texts.count(count, .logWholeOne, .logWhole)
            } else {
                texts.count(count, .logPartOne, .logPart)
            }
        return "<p class=\"says\">\(words)</p>"
    }

    /// Who caused an event: the administrator's name, with a link to the account.
    func by(_ maker: String, _ makers: [User]) -> HTML {
        if maker.isSame(as: "password") { return "\(texts(.timelineByAdministrator))" }
        if maker.isSame(as: "operator") { return "\(texts(.timelineByOperator))" }
        if maker.isSame(as: FirstAdministrator.maker) { return "\(texts(.timelineByFirstLink))" }
        guard let id = UserID(parsing: maker) else {
            return "\(texts(.timelineBy, "maker", maker))"
        }
        guard let user = makers.first(where: { $0.id == id }) else {
            return "\(texts(.timelineByDeleted, "maker", maker))"
        }
        let path = address(userPath(shownID(user)))
        return texts.html(
            .timelineBy, "maker",
            "<a href=\"\(path)\" title=\"\(maker)\">\(texts.name(user))</a>")
    }

    private func text(_ finding: AuditFinding) -> String {
        let first = texts(finding.defect.text, "first", "\(finding.first)")
        guard finding.last != finding.first else { return first }
        return texts(.logRange, "finding", first, "last", "\(finding.last)")
    }

    /// Only events that need attention have a colour.
    func mark(_ event: CheckedEvents.Event) -> HTML {
        guard event.isGenuine else {
            return "<small class=\"not\">\(texts(.logForged))</small>"
        }
        let verified: HTML = "<small title=\"\(texts(.tagVerified))\">✓</small>"
        return AuditEvent(rawValue: event.entry.event)?.succeeded == false
            ? "\(tag(.tagRefused, isBad: true))\(verified)" : verified
    }
}

extension AuditFinding.Defect {
    fileprivate var text: AdminText {
        switch self {
        case .changed: .logChanged
        case .missing: .logMissing
        case .notLinked: .logNotLinked
        case .repeated: .logRepeated
        case .beyondHead: .logBeyondHead
        case .headMissing: .logHeadMissing
        case .headUnreadable: .logHeadUnreadable
        case .anchorMissing: .logAnchorMissing
        }
    }
}

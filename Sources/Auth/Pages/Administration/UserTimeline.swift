internal import AuthDomain
internal import AuthOperations
internal import AuthRecords
internal import Bytes
internal import Contracts
internal import HTML
internal import Time

/// What happened to an account, and beside it what it has now: sessions, devices, passkeys.
struct UserTimeline {
    let page: AdminPage
    let user: InspectedUser

    private struct Line {
        let at: Instant
        let title: String
        /// Why it is so, in a sentence.
        let why: String
        /// Where and by whom.
        let about: [String]
        var mail: Mail.Kind?
        var mark = HTML()
        /// Refused or failed: to be seen at a glance.
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
                <p class="links"><a href="\(page.address(path))?after=\
                \(PercentEncoding.encode(next))">Older events</a></p>
                """
            } ?? HTML()
        return """
            <h2>Timeline</h2>
            \(page.integrity(of: user.events, isFirst: isFirst))
            <p class="soft">Events name the mails that they caused. A mail that is given up has an \
            event of its own; only the log says which ones the mail budget withheld.</p>
            \(refreshes(hidden, at: path))
            <ul>
            \(HTML(joining: events.map(line).map(html)))</ul>
            \(older)
            """
    }

    /// What the account has now, each kind in a list of its own.
    var belongings: HTML {
        let sessions = user.sessions.map(line)
        let devices = user.devices.map(line)
        let lists = [
            ("Sessions", sessions), ("Devices", devices), ("Passkeys", passkeys),
            ("Apps with access", applications),
        ]
        return HTML(
            joining: lists.filter { !$0.1.isEmpty }.map { title, lines in
                """
                <h2>\(title) (\(String(lines.count)))</h2>
                <ul>
                \(HTML(joining: lines.map(html)))</ul>

                """
            })
    }

    private func refreshes(_ hidden: Int, at path: String) -> HTML {
        guard hidden > 0 else { return HTML() }
        return """
            <p class="links"><a href="\(page.address(path))?refreshes=shown">Show \
            \(String(hidden)) \
            \(hidden == 1 ? "refresh" : "refreshes")</a></p>
            """
    }

    private func html(_ line: Line) -> HTML {
        """
        <li class="line\(line.isBad ? " bad" : "")">\(page.time(line.at))<span>\(line.title)\
        <small>\(line.why)\(mail(line.mail))</small>\
        <small>\(line.about.joined(separator: " · "))</small></span>\
        \(line.mark)</li>

        """
    }

    private func mail(_ kind: Mail.Kind?) -> HTML {
        guard let kind else { return HTML() }
        guard page.console.users.isWhole else { return " · Mail: \(kind.rawValue)" }
        let path = page.address("\(AdminConsole.mailsPath)/\(kind.rawValue)")
        return " · Mail: <a href=\"\(path)\">\(kind.rawValue)</a>"
    }

    // MARK: Lines

    private func line(_ event: CheckedEvents.Event) -> Line {
        let entry = event.entry
        let known = AuditEvent(rawValue: entry.event)
        let dropped = known == .mailDropped ? DroppedMail(detail: entry.detail) : nil
        let text = known.map(AuditEventText.init(_:))
        var why = dropped?.reason?.text ?? text?.why ?? ""
        if let reason = entry.reason { why += " Reason: \(reason)" }
        let maker = entry.maker.map { maker in
            maker.isSame(as: "password")
                ? "the administrator" : maker.isSame(as: "operator") ? "the operator" : maker
        }
        return Line(
            at: entry.at, title: text?.title ?? entry.event, why: why,
            about: [
                dropped?.kind == nil ? entry.detail : nil, maker.map { "by \($0)" }, entry.address,
                entry.userAgent.map { UserAgentName($0).text },
                entry.session.map { "session \($0.text.prefix(8))" },
            ].compactMap(\.self),
            mail: dropped?.kind ?? mail(of: entry, known), mark: event.mark,
            isBad: known?.succeeded == false)
    }

    /// A registration with the address of an account mails its owner something else, and only once.
    /// An administrator's link has an event of its own, besides that of the mail.
    private func mail(of entry: AuditEntry, _ event: AuditEvent?) -> Mail.Kind? {
        if event == .passwordResetRequested, entry.maker != nil { return nil }
        guard event == .verificationRequested, let detail = entry.detail,
            entry.at > user.user.createdAt
        else { return event?.mail }
        return detail.isSame(as: "register") ? .alreadyRegistered : nil
    }

    private func line(_ session: Session) -> Line {
        let end = session.expiresAt.text("%Y-%m-%d %H:%M")
        return Line(
            at: session.lastUsedAt, title: "Session in use",
            why: "Opened with \(session.origin.provider); ends on \(end) unless it is used.",
            about: [
                session.origin.deviceName,
                session.origin.userAgent.map { UserAgentName($0).text }, session.origin.address,
                "session \(session.id.text.prefix(8))",
            ].compactMap(\.self))
    }

    private func line(_ device: Device) -> Line {
        let isTrusted = device.trust.map { $0.epoch == user.user.epoch } ?? false
        // The first device of a new account is expected.
        let isNoticed =
            device.firstSeenAt - user.user.createdAt >= .hours(1)
            || user.devices.contains { $0.firstSeenAt < device.firstSeenAt }
        return Line(
            at: device.firstSeenAt, title: "New device",
            why: isTrusted
                ? "It signs in without the second factor." : "The first sign-in on this device.",
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
                    "The user gave it access; last used on \(used.text("%Y-%m-%d %H:%M"))."
                } ?? "The user gave it access, which it does not use now.",
                about: application.scope, mark: users(of: application))
        }
    }

    private func users(of application: GrantedApplication) -> HTML {
        guard page.auth.policy.oauth != nil else { return HTML() }
        let path = page.clientUsersPath(application.id)
        return "<a href=\"\(page.address(path))\">Users</a>"
    }

    private var passkeys: [Line] {
        user.passkeys.map { passkey in
            Line(
                at: passkey.createdAt, title: "Passkey",
                why: "Signs in since then; last used on "
                    + "\(passkey.lastUsedAt.text("%Y-%m-%d %H:%M")).",
                about: [passkey.name].compactMap(\.self))
        }
    }
}

extension AdminPage {
    /// Whether events are as they were written.
    func integrity(of events: CheckedEvents, isFirst: Bool = true) -> HTML {
        let isGenuine = events.events.allSatisfy(\.isGenuine) && events.findings.isEmpty
        guard isGenuine else {
            let found = events.findings.map { finding in
                "\(finding.defect.rawValue) \(finding.first)"
                    + (finding.last == finding.first ? "" : " to \(finding.last)")
            }
            return """
                <p class="says bad" role="alert">The audit log was tampered with: \
                \(found.isEmpty ? "an event is not genuine" : found.joined(separator: ", ")).</p>
                """
        }
        let count = events.events.count
        guard count > 0 else { return HTML() }
        let sealed = count == 1 ? "1 event is" : "\(count) events are"
        let complete =
            events.next == nil ? ", and none is missing" : ", and none of these is missing"
        return """
            <p class="says">✓ \(sealed) sealed with the audit key\
            \(isFirst ? complete : "").</p>
            """
    }
}

extension CheckedEvents.Event {
    /// Only what needs attention has a colour.
    var mark: HTML {
        guard isGenuine else { return "<small class=\"not\">✗ not genuine</small>" }
        return AuditEvent(rawValue: entry.event)?.succeeded == false
            ? "<span class=\"tag bad\">refused</span><small title=\"verified\">✓</small>"
            : "<small title=\"verified\">✓</small>"
    }
}

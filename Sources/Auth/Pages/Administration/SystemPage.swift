internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML
internal import Time

extension AdminPage {
    /// The health of the deployment, its keys, waiting mail, abandoned events, limits, and the
    /// actions of administrators.
    func systemPage() throws -> Answer {
        let state = try auth.inspectSystem()
        let sections = try sections(state).filter { !$0.content.text.isEmpty }
        let links = sections.map { section in
            HTML("<a href=\"#\(section.id)\">\(texts(section.title))</a>")
        }
        let parts = sections.map { section in
            HTML("<h2 id=\"\(section.id)\">\(texts(section.title))</h2>\n\(section.content)\n")
        }
        return answer(
            title: texts(.systemTitle),
            """
            <h1>\(texts(.systemTitle))</h1>
            <nav class="links" aria-label="\(texts(.systemTitle))">\(HTML(joining: links))</nav>
            \(HTML(joining: parts))
            """)
    }

    /// A section without content is left out.
    private typealias Section = (id: String, title: AdminText, content: HTML)

    private func sections(_ state: SystemState) throws -> [Section] {
        let isAdministrator = role == .administrator
        let noKeys: AdminText = state.makesKeys ? .systemNoKeys : .systemOwnKey
        let keys: HTML =
            state.keys.isEmpty
            ? "<p class=\"soft\">\(texts(noKeys))</p>" : list(state.keys.map(row))
        let health = SystemHealth(state, texts).html
        let healthCommand = command(#"--event '{"function": "admin", "action": "health"}'"#)
        let limits = HTML(joining: auth.policy.limits.map(row))
        let mails = state.mails.map { row($0, at: state.at) }
        return [
            (
                "warnings", .systemWarnings,
                SystemWarnings(auth, state, call.request, texts, link: linked).html
            ),
            ("activity", .chartTitle, try activityHTML()),
            ("health", .systemHealth, "\(health)\n\(healthCommand)"),
            ("keys", .systemKeys, "\(keys)\n\(rotation(state))"),
            (
                "mail", mails.isEmpty ? .healthMail : .systemMail,
                HTML(joining: [list(mails), testMailForm])
            ),
            ("webhooks", .systemWebhooks, list(state.webhooks.map(row))),
            (
                "deletions", .systemDeletions,
                state.deletions == 0 ? HTML() : "<p>\(count(state.deletions))</p>"
            ),
            ("administration", .systemAdministration, try administrationHTML(state.administration)),
            ("backup", .systemBackup, isAdministrator ? backupHTML : HTML()),
            (
                "limits", .systemLimits,
                """
                <details><summary>\(texts(.systemLimitsAbout))</summary>
                <dl>\(limits)</dl></details>
                """
            ),
            ("settings", .settingsTitle, isAdministrator ? settingsHTML() : HTML()),
        ]
    }

    private func linked(_ user: User) -> HTML {
        let name = user.email ?? user.id.text
        return "<a href=\"\(address(userPath(shownID(user))))\">\(name)</a>"
    }

    private func command(_ option: String) -> HTML {
        let files = auth.settingsFiles
        let words = "\(Self.program(files.named + [files.standard].compactMap(\.self))) \(option)"
        return """
            <details class="curl"><summary>\(texts(.frameCommand))</summary>\
            <code tabindex="0">\(words)</code></details>
            """
    }

    /// The command with the options for the settings files of this process.
    private static func program(_ files: [String]) -> String {
        (["latchkey"] + files.flatMap { ["--env-file", quoted($0)] }).joined(separator: " ")
    }

    private var testMailForm: HTML {
        guard role == .administrator else { return HTML() }
        return """
            <details><summary>\(texts(.systemTestMail))</summary>
            <p class="soft">\(texts(.systemTestMailAbout))</p>
            \(formHTML(
                to: AdminConsole.testMailPath, isSensitive: true,
                """
                <div><label for="test-email">\(texts(.systemTestMailTo))</label>
                <input id="test-email" name="email" type="email" required maxlength="254" \
                autocomplete="email"></div>
                \(reasonHTML("test"))
                \(passwordHTML("test"))
                <button>\(texts(.systemTestMail))</button>
                """))
            </details>
            """
    }

    func testMailPage(_ test: MailTest?, to email: EmailAddress) -> Answer {
        let result: HTML =
            test.map { test in
                let style: HTML = test.isSent ? HTML() : " bad"
                let words = texts(
                    test.isSent ? .testSent : .testNotSent, "email", email.text, "system",
                    test.system)
                return """
                    <p class="says\(style)" role="status">\(words)</p>
                    <pre>\(test.answer)</pre>
                    """
            } ?? "<p class=\"says\">\(texts.html(.testHook, "name", "<code>send</code>"))</p>"
        return answer(
            title: texts(.testTitle),
            """
            <h1>\(texts(.testTitle))</h1>
            \(result)
            <p class="links">\(link(AdminConsole.systemPath, .frameSystem))</p>
            """)
    }

    /// The page cannot make a backup: the file contains the keys, and would pass through a browser.
    private var backupHTML: HTML {
        let store = auth.setting("STORE")?.value ?? ""
        return store.hasPrefix("dynamodb:")
            ? "<p>\(texts(.systemBackupOwn))</p>"
            : """
            <p class="soft">\(texts.html(
                .systemBackupAbout, "command", "<code>latchkey restore</code>"))</p>
            <p><code tabindex="0">\(Self.program(auth.settingsFiles.named)) backup \
            latchkey-\(auth.clock.now().text("%Y-%m-%d")).backup</code></p>
            """
    }

    private func count(_ number: Int) -> String {
        number < InspectSystem.listedMax
            ? "\(number)" : texts(.systemOrMore, "count", "\(number)")
    }

    private func list(_ rows: [HTML]) -> HTML {
        rows.isEmpty ? HTML() : "<ul class=\"rows\">\n\(HTML(joining: rows))</ul>"
    }

    private func administrationHTML(_ events: CheckedEvents) throws -> HTML {
        guard !events.events.isEmpty || !events.findings.isEmpty else { return HTML() }
        let about: HTML = "<p class=\"soft\">\(texts(.systemAdministrationAbout))</p>"
        let makers = try auth.findUsers.makers(of: events)
        return HTML(joining: [
            about, integrity(of: events), list(events.events.map { row($0, makers) }),
        ])
    }

    private func line(
        _ title: String, _ about: [String?], by maker: HTML? = nil, _ end: HTML
    ) -> HTML {
        let facts = about.compactMap { $0.map { HTML("\($0)") } } + [maker].compactMap(\.self)
        return """
            <li><span>\(title)<small>\(HTML(joining: facts, separator: " · "))</small>\
            </span>\(end)</li>

            """
    }

    // MARK: Keys

    private func row(_ key: SystemState.Key) -> HTML {
        let now = auth.clock.now()
        let tag = key.isSigning ? tag(.tagSigns) : HTML()
        return line(
            key.id,
            [
                texts(.systemKeyAge, "span", texts.span(now - key.createdAt)),
                key.usableFrom > now ? at(.systemKeyFrom, key.usableFrom) : nil,
                key.expiresAt.map { at(.systemKeyUntil, $0) },
            ], tag)
    }

    private func rotation(_ state: SystemState) -> HTML {
        let master = state.masterKeySince.map {
            texts(.systemMasterKey, "span", texts.span(state.at - $0))
        }
        guard !state.keys.isEmpty, role >= .administrator else {
            return "<p class=\"soft\">\(master ?? "")</p>"
        }
        return """
            <p class="soft">\(master ?? "")</p>
            <details><summary>\(texts(.systemRotate))</summary>
            <p class="soft">\(texts(.systemRotateAbout))</p>
            \(formHTML(
                to: AdminConsole.rotatePath, isSensitive: true,
                """
                \(reasonHTML("rotate"))
                \(passwordHTML("rotate"))
                <button>\(texts(.systemRotate))</button>
                """))
            \(command(#"--event '{"function": "keys", "action": "rotate"}'"#))
            </details>
            """
    }

    // MARK: Mail, webhooks, limits, events

    private func row(_ mail: WaitingMail, at now: Instant) -> HTML {
        line(
            at(.systemMailDue, mail.due),
            [
                texts(.systemAttempts, "count", "\(mail.attempts)"),
                at(.systemGivenUp, mail.validUntil),
            ],
            mail.due < now ? tag(.tagDue) : HTML())
    }

    private func row(_ webhook: ListedWebhook) -> HTML {
        let resend: HTML =
            role < .support
            ? HTML()
            : formHTML(
                to: "\(AdminConsole.path)/webhooks/\(PercentEncoding.encode(webhook.id))/resend",
                "<button>\(texts(.systemSendAgain))</button>")
        return line(
            webhook.event?.event ?? texts(.systemExpiredEvent),
            [webhook.url, at(.systemGivenUp, webhook.diedAt), webhook.event?.user?.text], resend)
    }

    private func row(_ limit: RateLimit) -> HTML {
        let window = limit.window.seconds
        let span =
            if window % 3600 == 0 {
                "\(window / 3600) h"
            } else if window % 60 == 0 {
                "\(window / 60) min"
            } else {
                "\(window) s"
            }
        let allowed = texts(.systemLimit, "count", "\(limit.requestsMax)", "span", span)
        return """
            <dt>\(limit.name)</dt><dd>\(allowed)</dd>

            """
    }

    private func row(_ event: CheckedEvents.Event, _ makers: [User]) -> HTML {
        let entry = event.entry
        let title = AuditEvent(rawValue: entry.event).map { texts.events(.title($0)) }
        return line(
            title ?? entry.event,
            [
                texts.time(entry.at), entry.detail.map(texts.detail),
                entry.reason.map { texts(.timelineReason, "reason", $0) }, entry.address,
            ],
            by: entry.maker.map { by($0, makers) }, mark(event))
    }

    private func at(_ text: AdminText, _ instant: Instant) -> String {
        texts(text, "time", texts.time(instant))
    }
}

internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML
internal import Time

extension AdminPage {
    /// Its health, keys, mail that waits, dead events, limits, and what administrators did.
    func systemPage() throws -> Answer {
        let state = try auth.inspectSystem()
        let noKeys = state.makesKeys ? "None yet." : "The operator has configured the key."
        return answer(
            title: "System",
            """
            <h1>System</h1>
            \(SystemWarnings(auth, state, call.request).html)
            \(try activityHTML())
            <h2>Health</h2>
            \(SystemHealth(state).html)
            <details class="curl"><summary>copy as command</summary><code tabindex="0">\
            latchkey --event '{"function": "admin", "action": "health"}'</code></details>
            <h2>Signing keys</h2>
            \(list(state.keys.map(row), none: noKeys))
            \(rotation(state))
            <h2>Waiting mail</h2>
            \(list(state.mails.map { row($0, at: state.at) }, none: "None."))
            \(testMailForm)
            <h2>Events that no webhook took</h2>
            \(list(state.webhooks.map(row), none: "None."))
            <h2>Deleted accounts to be erased</h2>
            <p>\(count(state.deletions))</p>
            <h2>Administration</h2>
            <p class="soft">Sign-ins with the administrator's password, and what concerns the \
            whole \
            deployment. What was done to an account, such as its role, is on the account's page.</p>
            \(integrity(of: state.administration))
            \(list(state.administration.events.map(row), none: "Nothing yet."))
            \(role == .administrator ? backupHTML : HTML())
            <h2>Limits</h2>
            <details><summary>How many requests are allowed</summary>
            <dl>\(HTML(joining: auth.policy.limits.map(row)))</dl></details>
            \(role == .administrator ? settingsHTML() : HTML())
            """)
    }

    private var testMailForm: HTML {
        guard role == .administrator else { return HTML() }
        return """
            <details><summary>Send a test mail</summary>
            <p class="soft">At once, without the outbox; the mail server's answer is shown.</p>
            \(formHTML(
                to: AdminConsole.testMailPath, isSensitive: true,
                """
                <div><label for="test-email">To</label>
                <input id="test-email" name="email" type="email" required maxlength="254" \
                autocomplete="email"></div>
                \(reasonHTML("test"))
                \(passwordHTML("test"))
                <button>Send a test mail</button>
                """))
            </details>
            """
    }

    func testMailPage(_ test: MailTest?, to email: EmailAddress) -> Answer {
        let result: HTML =
            test.map { test in
                let style: HTML = test.isSent ? HTML() : " bad"
                return """
                    <p class="says\(style)" role="status">\(test.isSent ? "Sent" : "Not sent") \
                    to \(email.text) by \(test.system).</p>
                    <pre>\(test.answer)</pre>
                    """
            } ?? "<p class=\"says\">The hook <code>send</code> sends every mail. Test it there.</p>"
        return answer(
            title: "Test mail",
            """
            <h1>Test mail</h1>
            \(result)
            <p class="links"><a href="\(address(AdminConsole.systemPath))">System</a></p>
            """)
    }

    /// The page makes no backup: the file has the keys, and would pass through a browser.
    private var backupHTML: HTML {
        let store = auth.setting("STORE")?.value ?? ""
        let way: HTML =
            store.hasPrefix("dynamodb:")
            ? "<p>DynamoDB keeps one itself, if point-in-time recovery of the table is on.</p>"
            : """
            <p class="soft">In the server's folder, while it runs, this saves accounts and keys to \
            a file that <code>latchkey restore</code> takes. Keep it as safe as the keys.</p>
            <p><code tabindex="0">latchkey backup \
            latchkey-\(auth.clock.now().text("%Y-%m-%d")).backup</code></p>
            """
        return "<h2>Backup</h2>\n\(way)"
    }

    private func count(_ number: Int) -> String {
        number < InspectSystem.listedMax ? "\(number)" : "\(number) or more"
    }

    private func list(_ rows: [HTML], none: String) -> HTML {
        rows.isEmpty
            ? "<p class=\"soft\">\(none)</p>" : "<ul class=\"rows\">\n\(HTML(joining: rows))</ul>"
    }

    private func line(_ title: String, _ about: [String?], _ end: HTML) -> HTML {
        """
        <li><span>\(title)<small>\(about.compactMap(\.self).joined(separator: " · "))</small>\
        </span>\(end)</li>

        """
    }

    private func days(_ from: Instant, _ to: Instant) -> String {
        let days = max(0, (to - from).seconds / 86_400)
        return days == 1 ? "1 day" : "\(days) days"
    }

    // MARK: Keys

    private func row(_ key: SystemState.Key) -> HTML {
        let now = auth.clock.now()
        let tag: HTML = key.isSigning ? "<span class=\"tag\">signs</span>" : HTML()
        return line(
            key.id,
            [
                "\(days(key.createdAt, now)) old",
                key.usableFrom > now ? "signs from \(text(key.usableFrom))" : nil,
                key.expiresAt.map { "published until \(text($0))" },
            ], tag)
    }

    private func rotation(_ state: SystemState) -> HTML {
        let master = state.masterKeySince.map {
            "The master key is in use for \(days($0, state.at))."
        }
        guard !state.keys.isEmpty, role >= .administrator else {
            return "<p class=\"soft\">\(master ?? "")</p>"
        }
        return """
            <p class="soft">\(master ?? "")</p>
            <details><summary>Rotate now</summary>
            <p class="soft">Publishes the next key, which signs in a day.</p>
            \(formHTML(
                to: AdminConsole.rotatePath, isSensitive: true,
                """
                \(reasonHTML("rotate"))
                \(passwordHTML("rotate"))
                <button>Rotate now</button>
                """))
            <details class="curl"><summary>copy as command</summary><code tabindex="0">\
            latchkey --event '{"function": "keys", "action": "rotate"}'</code></details>
            </details>
            """
    }

    // MARK: Mail, webhooks, limits, events

    private func row(_ mail: WaitingMail, at now: Instant) -> HTML {
        line(
            "Due \(text(mail.due))",
            ["attempts: \(mail.attempts)", "given up \(text(mail.validUntil))"],
            mail.due < now ? "<span class=\"tag\">due</span>" : HTML())
    }

    private func row(_ webhook: ListedWebhook) -> HTML {
        let resend: HTML =
            role < .support
            ? HTML()
            : formHTML(
                to: "\(AdminConsole.path)/webhooks/\(PercentEncoding.encode(webhook.id))/resend",
                "<button>Send again</button>")
        return line(
            webhook.event?.event ?? "An event that has expired",
            [webhook.url, "given up \(text(webhook.diedAt))", webhook.event?.user?.text], resend)
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
        return """
            <dt>\(limit.name)</dt><dd>\(String(limit.requestsMax)) in \(span)</dd>

            """
    }

    private func row(_ event: CheckedEvents.Event) -> HTML {
        let entry = event.entry
        let title = AuditEvent(rawValue: entry.event).map { AuditEventText($0).title }
        return line(
            title ?? entry.event,
            [
                text(entry.at), entry.detail, entry.reason.map { "Reason: \($0)" },
                entry.maker.map { "by \($0)" }, entry.address,
            ],
            event.mark)
    }

    private func text(_ instant: Instant) -> String { instant.text("%Y-%m-%d %H:%M") }
}

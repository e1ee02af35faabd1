internal import AuthDomain
internal import AuthOperations
internal import Contracts
internal import FunctionRuntime
internal import HTTP
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// The metrics of a function that serves HTTP itself; docs/operating.md explains each of them.
///
/// Label values come from fixed sets: operations, reasons of the log, configured providers. They
/// never contain data from clients.
final class ProcessMetrics: Sendable {
    private let operations = Counter(
        "latchkey_operations", "Requests, by operation and outcome.",
        labels: ["operation", "outcome"])
    private let durations = Histogram(
        "latchkey_operation_duration_seconds", "Time from a request to its response.", .operation,
        labels: ["operation"])
    private let refusals = Counter(
        "latchkey_refusals", "Responses with status 4xx, by reason in the log.", labels: ["reason"])
    private let failures = Counter(
        "latchkey_failures", "Responses with status 5xx, by reason in the log.", labels: ["reason"])
    private let signIns = Counter(
        "latchkey_sign_ins", "Sign-ins, by provider or other method.", labels: ["method"])
    private let reuses = Counter(
        "latchkey_refresh_token_reuses", "Replaced refresh tokens that were presented.",
        labels: ["token"], startingWith: [["previous"], ["older"]])
    private let rateLimited = Counter(
        "latchkey_rate_limited", "Requests over a rate limit.", labels: ["operation"])
    private let mail = Counter(
        "latchkey_mail", "Attempts to send mail.", labels: ["kind", "outcome"])
    private let withheldMail = Counter(
        "latchkey_mail_withheld", "Mails over the mail budget.", labels: ["limit"])
    private let webhooks = Counter(
        "latchkey_webhooks", "Attempts to send events.", labels: ["outcome"])
    private let logoutNotices = Counter(
        "latchkey_logout_notices", "Attempts to tell clients of the end of a session.",
        labels: ["outcome"])
    private let storeDurations = Histogram(
        "latchkey_store_duration_seconds", "Store calls.", .store,
        labels: ["store", "call"])
    private let storeFailures = Counter(
        "latchkey_store_failures", "Failed store calls.",
        labels: ["store", "call", "kind"])
    private let storeConflicts = Counter(
        "latchkey_store_conflicts", "Writes whose condition did not hold.",
        labels: ["store"])
    private let requestDurations = Histogram(
        "latchkey_outgoing_request_duration_seconds", "Requests to other services.", .operation,
        labels: ["purpose"])
    private let requestFailures = Counter(
        "latchkey_outgoing_request_failures", "Requests to other services without a response.",
        labels: ["purpose", "reason"])
    private let hookFailures = Counter(
        "latchkey_hook_failures", "Hooks without a valid answer, by whether the request continued.",
        labels: ["hook", "reason", "continued"])
    private let keyFailures = Counter(
        "latchkey_provider_key_failures", "Failed fetches of a provider's keys.",
        labels: ["provider", "reason"])

    var instruments: [any Instrument] {
        [
            operations, durations, refusals, failures, signIns, reuses, rateLimited, mail,
            withheldMail, webhooks, logoutNotices, storeDurations, storeFailures, storeConflicts,
            requestDurations, requestFailures, keyFailures, hookFailures,
        ]
    }

    func count(_ outcome: Router.Outcome, seconds: Double) {
        let operation = outcome.routedOperation ?? "unrouted"
        operations.add([operation, outcome.kind])
        durations.observe(seconds, [operation])
        if let method = outcome.signInMethod { signIns.add([method]) }
        guard let reason = outcome.reason else { return }
        (outcome.answer.status >= 500 ? failures : refusals).add([reason])
        if outcome.isRateLimited { rateLimited.add([operation]) }
        if let token = outcome.reusedToken { reuses.add([token]) }
    }

    func count(_ outcome: MailOutcome) {
        switch outcome {
        case .sent(let kind, _): mail.add([kind.rawValue, "sent"])
        case .failed(let kind, _, _): mail.add([kind?.rawValue ?? "unknown", "failed"])
        case .dropped(let kind, _): mail.add([kind?.rawValue ?? "unknown", "dropped"])
        case .withheld(_, let limit): withheldMail.add([limit.rawValue])
        }
    }

    func count(_ outcome: WebhookOutcome) {
        switch outcome {
        case .sent: webhooks.add(["sent"])
        case .failed: webhooks.add(["failed"])
        case .dead, .eventMissing: webhooks.add(["dead"])
        }
    }

    func count(_ outcome: LogoutOutcome) {
        switch outcome {
        case .sent: logoutNotices.add(["sent"])
        case .failed: logoutNotices.add(["failed"])
        case .dead: logoutNotices.add(["dead"])
        }
    }

    func count(_ failed: FailedRequest) {
        requestFailures.add([failed.purpose.rawValue, failed.problem.rawValue])
    }

    func count(_ hook: HookKind, _ failure: HookFailure, continues: Bool) {
        hookFailures.add([hook.rawValue, failure.reason.rawValue, continues ? "true" : "false"])
    }

    func countRequest(_ purpose: RequestPurpose, seconds: Double) {
        requestDurations.observe(seconds, [purpose.rawValue])
    }

    func count(_ provider: String, _ failure: KeyFetchFailure) {
        keyFailures.add([provider, failure.rawValue])
    }

    func countCall(
        of store: String, _ call: StoreCall, seconds: Double, failure: StoreFailure?
    ) {
        storeDurations.observe(seconds, [store, call.rawValue])
        switch failure {
        case nil: break
        case .conditionFailed: storeConflicts.add([store])
        case .unavailable: storeFailures.add([store, call.rawValue, "unavailable"])
        case .refused: storeFailures.add([store, call.rawValue, "refused"])
        case .unreadable: storeFailures.add([store, call.rawValue, "unreadable"])
        }
    }
}

extension AssemblyReports {
    /// Returns the same reports, each of which is also counted in `metrics`.
    func counting(_ metrics: ProcessMetrics) -> AssemblyReports {
        var reports = self
        reports.keys = { provider, url, failure in
            metrics.count(provider, failure)
            keys(provider, url, failure)
        }
        reports.requests = {
            metrics.count($0)
            requests($0)
        }
        let webhooks = reports.webhooks
        reports.webhooks = {
            metrics.count($0)
            webhooks($0)
        }
        let logout = reports.logout
        reports.logout = {
            metrics.count($0)
            logout($0)
        }
        reports.hooks = {
            metrics.count($0, $1, continues: $2)
            hooks($0, $1, $2)
        }
        reports.mail = {
            metrics.count($0)
            mail($0)
        }
        let writtenMail = reports.writtenMail
        reports.writtenMail = {
            if case .success(let mail) = $0 { metrics.count(.sent(mail.kind, attempt: 1)) }
            writtenMail($0)
        }
        return reports
    }
}

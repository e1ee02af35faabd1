internal import AuthOperations
internal import FunctionRuntime
internal import IdentityProviders

/// Log callbacks for work outside a request.
struct AssemblyReports: Sendable {
    /// Whether log lines contain metrics. Calls of the store are measured for them.
    var embedsMetrics = false
    /// Why a provider's keys could not be fetched, even if cached ones are used.
    var keys: KeySetCache.Report = { _, _, _ in }
    /// Why a store call failed.
    var store: @Sendable (String) -> Void = { _ in }
    /// Why a request to another service got no response.
    var requests: @Sendable (FailedRequest) -> Void = { _ in }
    /// The outcome of each mail.
    var mail: MailServices.Report = { _ in }
    /// The messages written, or not, to the folder of `MAIL_URL=folder:`.
    var writtenMail: @Sendable (Result<MailFolder.Written, MailFolder.Failure>) -> Void = { _ in }
    /// Called with the outcome of each webhook event.
    var webhooks: WebhookServices.Report = { _ in }
    /// Called with the outcome of each logout notice.
    var logout: LogoutServices.Report = { _ in }
    /// The progress of erasing deleted accounts.
    var erasure: ErasureServices.Report = { _ in }
    /// The findings of housekeeping jobs.
    var housekeeping: @Sendable (HousekeepingNotice) -> Void = { _ in }
    /// Why a hook gave no valid answer.
    var hooks: HookServices.Report = { _, _, _ in }
    /// Why a password could not be looked up.
    var breachLookup: BreachedPasswords.Report = { _ in }
    /// Why a client of the provider cannot be used.
    var clients: @Sendable (ClientReport) -> Void = { _ in }
}

extension AssemblyReports {
    init(_ log: Log) {
        embedsMetrics = log.embedsMetrics
        keys = { provider, url, failure in
            log.error(
                .providerKeysUnavailable,
                [
                    "provider": .identifier(provider),
                    "host": .failureDetail(OutgoingRequests.host(url)), "reason": .code(failure),
                ])
        }
        store = { log.error(.storeFailed, ["detail": .failureDetail($0)]) }
        requests = { log.report($0) }
        mail = { log.report($0) }
        writtenMail = { log.report($0) }
        webhooks = { log.report($0) }
        logout = { log.report($0) }
        erasure = { log.report($0) }
        housekeeping = { log.report($0) }
        hooks = { log.report($0, $1, continues: $2) }
        clients = { log.report($0) }
        breachLookup = { log.error(.breachedPasswordsUnavailable, ["reason": .code($0)]) }
    }
}

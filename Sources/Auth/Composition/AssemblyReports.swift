internal import AuthOperations
internal import FunctionRuntime
internal import IdentityProviders

/// Who is told what is no answer to a request, for the log.
struct AssemblyReports: Sendable {
    /// Whether log lines have metrics, so that the store's calls are to be measured.
    var embedsMetrics = false
    /// Why a provider's keys cannot be had, also while cached ones serve.
    var keys: KeySetCache.Report = { _, _, _ in }
    /// Why a call of the store failed.
    var store: @Sendable (String) -> Void = { _ in }
    /// Why a request to another service got no response.
    var requests: @Sendable (FailedRequest) -> Void = { _ in }
    /// What became of each message.
    var mail: MailServices.Report = { _ in }
    /// Which message is in the folder that takes them.
    var writtenMail: @Sendable (MailFolder.Written) -> Void = { _ in }
    /// What became of the data of deleted accounts.
    var erasure: ErasureServices.Report = { _ in }
    /// What the jobs of housekeeping found out.
    var housekeeping: @Sendable (HousekeepingNotice) -> Void = { _ in }
    /// Why a password could not be looked up.
    var breachLookup: BreachedPasswords.Report = { _ in }
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
        erasure = { log.report($0) }
        housekeeping = { log.report($0) }
        breachLookup = { log.error(.breachedPasswordsUnavailable, ["reason": .code($0)]) }
    }
}

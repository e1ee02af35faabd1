public import Foundation

/// Keeps one record for a client, and for all processes that share its session.
///
/// An implementation is atomic: after a crash it has the old record or the new one. The tests check
/// it with `StoreContract`.
public protocol SessionStore: Sendable {
    /// nil if there is no record. Throws `locked` if the record cannot be read now.
    func load() async throws(StoreError) -> Data?

    /// Replaces the record durably if it is still the expected one; nil stands for no record.
    ///
    /// - Returns: whether the record was replaced.
    func replace(_ expected: Data?, with new: Data?) async throws(StoreError) -> Bool

    /// Waits until no other user of the record is refreshing. `load` and `replace` do not wait.
    ///
    /// Throws `busy` after the given time.
    func lockRefresh(waiting: Duration) async throws(StoreError) -> any RefreshLock
}

/// The lock that is held during a refresh. It is released at the latest when its last reference is
/// gone.
public protocol RefreshLock: Sendable {
    func release()
}

public enum StoreError: Error, Equatable, Sendable {
    /// The device is locked, or has not been unlocked since it started.
    case locked
    case busy
    /// The reason, which contains no secrets.
    case failed(String)
}

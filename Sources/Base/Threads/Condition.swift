package import Glibc

/// A lock that can be released to wait for a `Condition`, which a `Mutex` does not support.
package final class Lock: @unchecked Sendable {
    fileprivate let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    package init() {
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        // The lock spins for a moment before it sleeps, because no lock is held for long.
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func lock() { pthread_mutex_lock(mutex) }
    package func unlock() { pthread_mutex_unlock(mutex) }

    package func during<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        lock()
        defer { unlock() }
        return try body()
    }
}

/// A condition variable. It measures time by the monotonic clock, so that a change of the date does
/// not prolong a wait.
package final class Condition: @unchecked Sendable {
    private let variable = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        variable.initialize(to: pthread_cond_t())
        pthread_cond_init(variable, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(variable)
        variable.deallocate()
    }

    package func signal() { pthread_cond_signal(variable) }
    package func broadcast() { pthread_cond_broadcast(variable) }

    /// The wait can end without a signal.
    package func wait(_ lock: Lock) { pthread_cond_wait(variable, lock.mutex) }

    /// Returns false if the time is over.
    @discardableResult
    package func wait(_ lock: Lock, until end: timespec) -> Bool {
        var end = end
        return pthread_cond_timedwait(variable, lock.mutex, &end) != ETIMEDOUT
    }

    @discardableResult
    package func wait(_ lock: Lock, milliseconds: Int) -> Bool {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let nanoseconds = end.tv_nsec + milliseconds % 1000 * 1_000_000
        end.tv_sec += milliseconds / 1000 + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        return wait(lock, until: end)
    }
}

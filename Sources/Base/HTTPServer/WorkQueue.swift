internal import Glibc

/// A queue for a pool of threads. Only as many of them run as there are processors: every further
/// one would be woken to take turns with the others, which costs more than a short request.
///
/// A reader that waits for something else says so (`Waiting`), and another one is woken if there is
/// something to do. One that has nothing to do looks again a few times before it sleeps, because
/// waking it costs more.
///
/// `Mutex` has no condition variable, so this is pthread's; the variables are used under its mutex
/// only.
package final class WorkQueue<Element: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let wakes = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var elements: [Element] = []
    private var isClosed = false
    private let runningMax: Int
    /// Readers that neither sleep nor wait for something else.
    private var running: Int
    /// Of these, the ones that have nothing to do yet.
    private var looking = 0
    private var sleeping = 0
    /// Readers that were woken and still count as sleeping. They count as running, too.
    private var woken = 0

    private static var looksMax: Int { 20 }

    package init(readers: Int) {
        running = readers
        runningMax = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        mutex.initialize(to: pthread_mutex_t())
        wakes.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(wakes, nil)
    }

    deinit {
        pthread_cond_destroy(wakes)
        pthread_mutex_destroy(mutex)
        wakes.deallocate()
        mutex.deallocate()
    }

    package var sleepingCount: Int {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return sleeping
    }

    package func add(_ element: Element) {
        changing { elements.append(element) }
    }

    package func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_mutex_unlock(mutex)
        pthread_cond_broadcast(wakes)
    }

    package func readerWillWait() {
        changing { running -= 1 }
    }

    package func readerDidWait() {
        changing { running += 1 }
    }

    /// Wakes a reader although enough others run: these may wait for something that does not say
    /// so.
    package func wakeAnyway() {
        pthread_mutex_lock(mutex)
        let wakesOne = !elements.isEmpty && sleeping > woken
        if wakesOne { wakeOne() }
        pthread_mutex_unlock(mutex)
        if wakesOne { pthread_cond_signal(wakes) }
    }

    /// Wakes a reader if there is work for it after the change, and a processor.
    private func changing(_ change: () -> Void) {
        pthread_mutex_lock(mutex)
        change()
        let wakesOne = elements.count > looking && running < runningMax && sleeping > woken
        if wakesOne { wakeOne() }
        pthread_mutex_unlock(mutex)
        if wakesOne { pthread_cond_signal(wakes) }
    }

    private func wakeOne() {
        woken += 1
        running += 1
    }

    /// Waits; nil when it is closed and empty.
    package func take() -> Element? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            look()
            if !elements.isEmpty { return elements.removeFirst() }
            if isClosed { return nil }
            sleep()
        }
    }

    private func look() {
        looking += 1
        var looks = 0
        while elements.isEmpty, !isClosed, looks < Self.looksMax, running <= runningMax {
            looks += 1
            pthread_mutex_unlock(mutex)
            sched_yield()
            pthread_mutex_lock(mutex)
        }
        looking -= 1
    }

    private func sleep() {
        running -= 1
        sleeping += 1
        while woken == 0, !isClosed { pthread_cond_wait(wakes, mutex) }
        sleeping -= 1
        if woken > 0 {
            woken -= 1
        } else {
            running += 1
        }
    }
}

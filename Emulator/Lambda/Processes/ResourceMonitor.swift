internal import Glibc

/// Monitors the children's memory and process counts; kills the group of one over its limit.
struct ResourceMonitor {
    static let intervalMilliseconds = 100
    /// Sampling a process takes microseconds; this many take less than a millisecond.
    private static let samplesMax = 64
    /// The growth of the machine's task count that triggers counting groups, which takes
    /// milliseconds.
    private static let suspiciousGrowth: Int64 = 100

    /// Groups are also counted every so many samples, for slow growth.
    private static let samplesPerCount = 10

    private var lastTasks: Int64?
    private var samples = 0
    private var nextSerial: UInt64 = 0

    mutating func sample(_ processes: [UInt64: SupervisedProcess]) {
        checkMemory(processes)
        samples += 1
        let tasks = ProcessTable.tasksOfMachine() ?? 0
        let growth = tasks - (lastTasks ?? tasks)
        lastTasks = tasks
        if growth > Self.suspiciousGrowth || samples % Self.samplesPerCount == 0 {
            checkGroups(processes)
        }
    }

    private mutating func checkMemory(_ processes: [UInt64: SupervisedProcess]) {
        let serials = processes.keys.sorted()
        let from = serials.firstIndex { $0 >= nextSerial } ?? 0
        for serial in (serials[from...] + serials[..<from]).prefix(Self.samplesMax) {
            nextSerial = serial + 1
            guard let kept = processes[serial], !kept.hasExited else { continue }
            let bytes = kept.process.sampleMemory(kept.child.pid)
            if let most = kept.process.plan.limits.residentBytesMax, bytes > Int64(most) {
                kept.process.kill()
            }
        }
    }

    private func checkGroups(_ processes: [UInt64: SupervisedProcess]) {
        let sizes = ProcessTable.groupSizes()
        for kept in processes.values {
            let size = sizes[kept.child.pid] ?? 0
            if size > kept.process.plan.limits.groupProcessesMax { kept.process.kill() }
        }
    }
}

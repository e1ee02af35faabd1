import Foundation

/// Whether the environment of a process has a variable of this name.
func hasVariable(_ name: String, _ pid: Int32) -> Bool {
    guard let environment = FileManager.default.contents(atPath: "/proc/\(pid)/environ") else {
        return false
    }
    return environment.range(of: Data("\(name)=".utf8)) != nil
}

/// Waits until the condition holds; false after a timeout that is generous on any machine.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Date(timeIntervalSinceNow: 20)
    while Date() < deadline {
        if try condition() { return true }
        usleep(2000)
    }
    return false
}

/// The number of repetitions: `count`, unless the variable sets another.
func count(_ variable: String, default count: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? count
}

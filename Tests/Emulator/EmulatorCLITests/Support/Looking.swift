import Foundation

/// Whether a variable of this name is in the environment of a process.
func hasVariable(_ name: String, _ pid: Int32) -> Bool {
    guard let environment = FileManager.default.contents(atPath: "/proc/\(pid)/environ") else {
        return false
    }
    return environment.range(of: Data("\(name)=".utf8)) != nil
}

/// Whether it comes to hold within a time that is long enough on any machine.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Date(timeIntervalSinceNow: 20)
    while Date() < deadline {
        if try condition() { return true }
        usleep(2000)
    }
    return false
}

/// How often something is done again: less than the full demand, unless a variable asks for that.
func count(_ variable: String, default count: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? count
}

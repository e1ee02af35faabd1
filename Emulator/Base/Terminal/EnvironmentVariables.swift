internal import Glibc

/// The emulator's own variables.
package enum EnvironmentVariables {
    package static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}

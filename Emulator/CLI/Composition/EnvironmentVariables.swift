internal import Glibc

/// The emulator's own variables.
enum EnvironmentVariables {
    static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}

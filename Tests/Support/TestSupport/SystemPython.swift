/// Debian's own interpreter, for programs that need no packages. The first `python3` on the PATH
/// may be a script of a version manager, which takes ten times as long to start.
package enum SystemPython {
    /// Without the search for packages, which takes half of the start.
    package static let words = ["/usr/bin/python3", "-I", "-S"]
}

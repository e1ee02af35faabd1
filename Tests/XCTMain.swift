// The tests' entry point. Without this file, SwiftPM generates one that lists XCTests, which it
// finds in the compiler's index. There are none, and the index takes a third of the time of
// compiling tests.
internal import Glibc
import Testing

@main struct TestMain {
    /// Swift Testing's status if no test matched a filter (`EX_UNAVAILABLE`), which SwiftPM takes
    /// for success.
    static let noTests: CInt = 69

    static func main() async {
        // SwiftPM starts this program for XCTests, too, and then runs no test of Swift Testing.
        guard CommandLine.arguments.contains("swift-testing") else {
            print("error: run scripts/swift test, which has the flags that these tests need")
            exit(1)
        }
        let status: CInt = await Testing.__swiftPMEntryPoint()
        guard status == noTests else { exit(status) }
        print("error: no test ran: no name matches the filter")
        exit(1)
    }
}

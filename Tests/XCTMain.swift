// The tests' entry point. Without this file, SwiftPM generates one that lists XCTests, which it finds
// in the compiler's index. There are none, and the index takes a third of the time of compiling tests.
import Testing

@main struct TestMain {
    static func main() async {
        // SwiftPM starts this program a second time, for XCTests, unless `--disable-xctest` is given.
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}

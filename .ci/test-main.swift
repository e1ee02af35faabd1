// .ci/run copies this file to Tests/XCTMain.swift, where it replaces the entry point that SwiftPM
// generates. That one lists XCTests, which SwiftPM finds in the compiler's index. There are none,
// and the index takes a quarter of the time of a build.
import Testing

@main struct TestMain {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}

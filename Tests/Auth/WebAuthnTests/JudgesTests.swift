import Foundation
import TestSupport

@Suite("Other relying parties on the same vectors") struct JudgesTests {
    @Test func `py_webauthn and python-fido2 accept the vectors that they support`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Vectors").path(percentEncoded: false)
        let result = try ChildProcess.run(
            Command(try VirtualEnvironment.program("python"), [folder + "/judges.py", folder]))
        print(result.text)
        expectEqual(result.end, .exit(0), "\(result.text)\(result.errorText)")
        #expect(result.text.contains("by_fido2: generated.json: 100 of 100 pairs accepted"))
    }
}

@Suite("User codes") struct UserCodeTests {
    @Test(arguments: [
        "BCDF-GHJK", "bcdfghjk", " BCDF GHJK ", "bcdf\u{2011}ghjk", "b-c-d-f-g-h-j-k",
    ])
    func `a code is accepted in every form that people type`(text: String) {
        expectEqual(UserCode(parsing: text)?.text, "BCDF-GHJK")
    }

    @Test(arguments: [
        "", "BCDF-GHJ", "BCDF-GHJKL", "ABCD-FGHJ", "BCDF-GHJ1", "BCDF_GHJK", "BCDF-GHJ\u{212A}",
        "ＢCDF-GHJK", String(repeating: " ", count: 100) + "BCDFGHJK",
    ])
    func `any other text is not a code`(text: String) {
        expectEqual(UserCode(parsing: text)?.text, nil)
    }

    @Test func `each letter is equally likely at each position`() {
        let random = RandomSource.seeded(1)
        var counts: [Character: Int] = [:]
        for _ in 0..<2500 {
            for letter in UserCode(random: random).letters { counts[letter, default: 0] += 1 }
        }
        expectEqual(String(counts.keys.sorted()), "BCDFGHJKLMNPQRSTVWXZ")
        #expect(counts.values.allSatisfy { (850...1150).contains($0) })
    }
}

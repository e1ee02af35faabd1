import AuthDomain
import Bytes
import Cryptography
import Testing

@Suite("RefreshToken") struct RefreshTokenTests {
    static let form = RefreshTokenForm.opaque(prefix: "lkr_")
    let mint = RefreshTokenMint(
        key: SecretBytes([UInt8](repeating: 7, count: 32)), form: form)
    let family = SessionID(random: .seeded(1))

    @Test func `a minted token has its contract's form and is admitted again`() {
        for prefix in ["lkr_", "v1.", "plr_", ""] {
            let form = RefreshTokenForm.opaque(prefix: prefix)
            let mint = RefreshTokenMint(
                key: SecretBytes([UInt8](repeating: 7, count: 32)), form: form)
            let text = mint.token(family: family, seed: [1], generation: 0).reveal()
            #expect(text.hasPrefix(prefix))
            #expect(text.utf8.count == prefix.utf8.count + 43)
            #expect(form.admits(text))
        }
    }

    @Test func `the same family, seed and generation give the same token`() {
        let first = mint.token(family: family, seed: [1, 2], generation: 9)
        let second = mint.token(family: family, seed: [1, 2], generation: 9)
        #expect(first.reveal() == second.reveal())
        #expect(first.hash == SHA256.hash(Array(first.reveal().utf8)))
    }

    @Test func `another generation, family, seed or key gives another token`() {
        let others: [RefreshToken] = [
            mint.token(family: family, seed: [1], generation: 0),
            mint.token(family: family, seed: [1], generation: 1),
            mint.token(family: family, seed: [1], generation: 256),
            mint.token(family: family, seed: [1], generation: .max),
            mint.token(family: family, seed: [1], generation: -1),
            mint.token(family: family, seed: [2], generation: 0),
            mint.token(family: family, seed: [], generation: 0),
            mint.token(family: family, seed: [1, 0], generation: 0),
            mint.token(family: SessionID(random: .seeded(2)), seed: [1], generation: 0),
            RefreshTokenMint(key: SecretBytes([UInt8](repeating: 8, count: 32)), form: Self.form)
                .token(family: family, seed: [1], generation: 0),
        ]
        #expect(Set(others.map { $0.reveal() }).count == others.count)
    }

    static let good = "lkr_" + String(repeating: "A", count: 43)
    static let junk: [String] = [
        "", "lkr_", "lkr", String(repeating: "A", count: 43), String(repeating: "A", count: 47),
        "LKR_" + String(repeating: "A", count: 43), " " + good, good + " ", good + "\n",
        good + "=", good + "A", String(good.dropLast()), "lkr_ " + String(good.dropFirst(5)),
        "v1." + String(repeating: "A", count: 43), "v1.A" + String(repeating: "A", count: 43),
        // The tail bits of 43 characters are zero in the one spelling that there is.
        String(good.dropLast()) + "B", String(good.dropLast()) + "_",
        "lkr_+" + String(repeating: "A", count: 42), "lkr_/" + String(repeating: "A", count: 42),
        "lkr_" + String(repeating: "A", count: 42) + "\u{0}",
        "lkr_\u{301}" + String(repeating: "A", count: 41),
        "l\u{301}kr_" + String(repeating: "A", count: 41),
        "lkr_" + String(repeating: "Ａ", count: 43), String(repeating: "lkr_", count: 50_000),
        "' OR 1=1 --", "../../etc/passwd", "null",
    ]

    @Test(arguments: junk) func `what cannot be one of ours is refused without the store`(
        raw: String
    ) {
        #expect(!Self.form.admits(raw))
        #expect(RefreshToken(presented: raw, form: Self.form) == nil)
    }

    @Test func `the good form of the table above is good`() {
        #expect(Self.form.admits(Self.good))
    }

    @Test func `a token does not print`() {
        let token = mint.token(family: family, seed: [1], generation: 0)
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] {
            #expect(!text.contains(token.reveal().dropFirst(4).prefix(8)))
        }
    }
}

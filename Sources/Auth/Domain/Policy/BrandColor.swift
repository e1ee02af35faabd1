/// A colour of the app, with the contrast calculations for readable text.
package struct BrandColor: Equatable, Sendable {
    /// The least contrast of text (WCAG 2.2, success criterion 1.4.3).
    package static let contrastMin = 4.5

    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8

    package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Parses a colour such as `#2f5bd7`.
    package init?(parsing text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 7, bytes[0] == UInt8(ascii: "#") else { return nil }
        var digits: [UInt8] = []
        for byte in bytes.dropFirst() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                digits.append(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                digits.append(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        self.init(
            digits[0] << 4 | digits[1], digits[2] << 4 | digits[3], digits[4] << 4 | digits[5])
    }

    package var text: String {
        "#"
            + [red, green, blue].map { byte in
                let digits = String(byte, radix: 16)
                return digits.utf8.count == 1 ? "0" + digits : digits
            }.joined()
    }

    package static let white = BrandColor(255, 255, 255)
    package static let black = BrandColor(0, 0, 0)
    /// The cards of dark pages.
    package static let darkCard = BrandColor(0x1E, 0x1E, 0x23)

    /// The colour itself, or as much darker or lighter as is needed to be read on the background.
    package func readable(on background: BrandColor) -> BrandColor {
        let goal: BrandColor = background.luminance > 0.18 ? .black : .white
        for part in 0...20 {
            let mixed = mixed(with: goal, part: part, of: 20)
            if mixed.contrast(with: background) >= Self.contrastMin { return mixed }
        }
        return goal
    }

    /// The better of white and black, for text on this colour: its contrast is at least 4.5.
    package var textColor: BrandColor {
        contrast(with: .white) >= contrast(with: .black) ? .white : .black
    }

    /// Whether a surface of this colour is hard to tell from its background.
    package func isNear(_ background: BrandColor) -> Bool {
        contrast(with: background) < Self.surfaceContrastMin
    }

    private static let surfaceContrastMin = 1.5

    /// The background with a little of this colour.
    package func tint(on background: BrandColor) -> BrandColor {
        background.mixed(with: self, part: 1, of: 10)
    }

    package func contrast(with other: BrandColor) -> Double {
        let (one, two) = (luminance + 0.05, other.luminance + 0.05)
        return one > two ? one / two : two / one
    }

    private func mixed(with other: BrandColor, part: Int, of whole: Int) -> BrandColor {
        func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
            UInt8(clamping: (Int(a) * (whole - part) + Int(b) * part) / whole)
        }
        return BrandColor(
            mix(red, other.red), mix(green, other.green), mix(blue, other.blue))
    }

    /// Relative luminance (WCAG 2.2).
    private var luminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    /// The inverse of sRGB's transfer function, as a polynomial that is off by less than 0.002.
    private static func linear(_ byte: UInt8) -> Double {
        let value = Double(byte) / 255
        return value * (value * (value * 0.305306011 + 0.682171111) + 0.012522878)
    }
}

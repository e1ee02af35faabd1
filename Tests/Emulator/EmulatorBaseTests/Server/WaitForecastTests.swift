import EmulatorBase
import TestSupport

@Suite("Forecast of waits") struct WaitForecastTests {
    @Test(arguments: [
        [true], [false], [true, false], [false, true, true], [false, false, false, true],
    ])
    func `a pattern of waits is predicted after a while`(pattern: [Bool]) {
        var forecast = WaitForecast()
        for _ in 0..<6 { for isShort in pattern { forecast.learn(isShort: isShort) } }
        for isShort in pattern {
            expectEqual(forecast.isShort, isShort)
            forecast.learn(isShort: isShort)
        }
    }

    @Test func `without history a long wait is predicted`() {
        #expect(!WaitForecast().isShort)
    }
}

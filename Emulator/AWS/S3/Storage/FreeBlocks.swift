/// The free blocks of a file. All blocks from `end` on are free.
struct FreeBlocks {
    private(set) var end = 0
    /// The start positions of free runs by length, the most recently freed last, because its pages
    /// are still cached.
    private var starts: [Int: [Int]] = [:]
    /// The keys of `starts`, sorted.
    private var lengths: [Int] = []
    /// The number of freed runs that may be adjacent to others and are not merged yet.
    private var unmergedCount = 0

    init(used: [Range<Int>] = []) {
        for run in used.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if run.lowerBound > end { insert(end..<run.lowerBound) }
            end = max(end, run.upperBound)
        }
    }

    /// Takes a run of that length.
    mutating func take(_ length: Int) -> Range<Int> {
        if let run = shortestRun(length) { return cut(run, length) }
        // Merging is slow, so it is only done occasionally.
        if unmergedCount > max(length, end / 4) {
            merge()
            if let run = shortestRun(length) { return cut(run, length) }
        }
        defer { end += length }
        return end..<(end + length)
    }

    mutating func give(_ run: Range<Int>) {
        insert(run)
        unmergedCount += run.count
    }

    private mutating func shortestRun(_ length: Int) -> Range<Int>? {
        for index in firstIndex(from: length)..<lengths.count {
            let length = lengths[index]
            if let start = starts[length]?.popLast() { return start..<(start + length) }
        }
        return nil
    }

    private mutating func cut(_ run: Range<Int>, _ length: Int) -> Range<Int> {
        let middle = run.lowerBound + length
        if middle < run.upperBound { insert(middle..<run.upperBound) }
        return run.lowerBound..<middle
    }

    private mutating func insert(_ run: Range<Int>) {
        if starts[run.count]?.append(run.lowerBound) == nil {
            starts[run.count] = [run.lowerBound]
            lengths.insert(run.count, at: firstIndex(from: run.count))
        }
    }

    /// The first index whose length is at least `length`.
    private func firstIndex(from length: Int) -> Int {
        var range = 0..<lengths.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if lengths[middle] < length {
                range = (middle + 1)..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }

    private mutating func merge() {
        let runs = starts.flatMap { length, starts in starts.map { $0..<($0 + length) } }
            .sorted { $0.lowerBound < $1.lowerBound }
        starts = [:]
        lengths = []
        unmergedCount = 0
        var last: Range<Int>?
        for run in runs {
            if let before = last, before.upperBound == run.lowerBound {
                last = before.lowerBound..<run.upperBound
            } else {
                if let last { insert(last) }
                last = run
            }
        }
        guard let last else { return }
        if last.upperBound == end { end = last.lowerBound } else { insert(last) }
    }
}

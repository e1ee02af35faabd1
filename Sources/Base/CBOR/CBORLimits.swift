/// Limits for an item from outside.
package struct CBORLimits: Sendable, Equatable {
    package var bytesMax: Int
    /// Nesting of arrays and maps; an item that is neither has depth 0.
    package var depthMax: Int
    /// All items, including each key and each value of a map.
    package var itemsMax: Int

    package init(bytesMax: Int, depthMax: Int, itemsMax: Int) {
        self.bytesMax = bytesMax
        self.depthMax = depthMax
        self.itemsMax = itemsMax
    }
}

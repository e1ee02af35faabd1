extension DynamoDBService {
    /// Removes an item; one that is not there is removed too.
    func deleteItem(_ reader: RequestReader) throws(Refusal) -> [UInt8] {
        try writeItem(.delete, reader)
    }
}

internal import CYAML

/// An event of a YAML document (YAML 1.1, section 3.1).
struct YAMLEvent {
    enum Kind {
        case streamStart, streamEnd, documentStart, documentEnd
        case scalar(String, isPlain: Bool)
        case alias(String)
        case sequenceStart, sequenceEnd, mappingStart, mappingEnd
    }

    let kind: Kind
    let place: TextPlace
    var tag: String?
    var anchor: String?
}

/// The events of a document in order, from libyaml. The text must outlive this object.
final class YAMLEvents {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let text: UnsafeBufferPointer<UInt8>

    init(_ text: UnsafeBufferPointer<UInt8>) throws(YAMLFailure) {
        self.text = text
        parser = .allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            throw YAMLFailure(TextPlace(line: 1, column: 1), "out of memory")
        }
        yaml_parser_set_input_string(parser, text.baseAddress, text.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    func next() throws(YAMLFailure) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw problem.failure }
        defer { yaml_event_delete(&event) }
        let place = TextPlace(event.start_mark)
        let data = event.data
        switch event.type {
        case YAML_STREAM_START_EVENT: return YAMLEvent(kind: .streamStart, place: place)
        case YAML_DOCUMENT_START_EVENT: return YAMLEvent(kind: .documentStart, place: place)
        case YAML_DOCUMENT_END_EVENT: return YAMLEvent(kind: .documentEnd, place: place)
        case YAML_ALIAS_EVENT:
            return YAMLEvent(kind: .alias(Self.text(data.alias.anchor) ?? ""), place: place)
        case YAML_SCALAR_EVENT:
            let bytes = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
            let isPlain = data.scalar.style == YAML_PLAIN_SCALAR_STYLE
            return YAMLEvent(
                kind: .scalar(String(decoding: bytes, as: UTF8.self), isPlain: isPlain),
                place: place, tag: Self.text(data.scalar.tag),
                anchor: Self.text(data.scalar.anchor))
        case YAML_SEQUENCE_START_EVENT:
            return YAMLEvent(
                kind: .sequenceStart, place: place, tag: Self.text(data.sequence_start.tag),
                anchor: Self.text(data.sequence_start.anchor))
        case YAML_SEQUENCE_END_EVENT: return YAMLEvent(kind: .sequenceEnd, place: place)
        case YAML_MAPPING_START_EVENT:
            return YAMLEvent(
                kind: .mappingStart, place: place, tag: Self.text(data.mapping_start.tag),
                anchor: Self.text(data.mapping_start.anchor))
        case YAML_MAPPING_END_EVENT: return YAMLEvent(kind: .mappingEnd, place: place)
        default: return YAMLEvent(kind: .streamEnd, place: place)
        }
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(decodingCString: $0, as: UTF8.self) }
    }

    private var problem: ParserProblem {
        let state = parser.pointee
        // Encoding errors have an offset instead of a mark.
        let isEncoding = state.error == YAML_READER_ERROR
        let offset = isEncoding ? state.problem_offset : state.problem_mark.index
        return ParserProblem(
            problem: state.problem.map { String(cString: $0) } ?? "not valid YAML",
            place: isEncoding
                ? TextPlace(offset: offset, in: Array(text)) : TextPlace(state.problem_mark),
            context: state.context.map { String(cString: $0) },
            contextPlace: TextPlace(state.context_mark), found: byte(at: state.problem_mark))
    }

    /// libyaml's marks count characters, so the byte is found by line and column.
    private func byte(at mark: yaml_mark_t) -> UInt8? {
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
        lines = lines.dropFirst(mark.line)
        return lines.first?.dropFirst(mark.column).first
    }
}

extension TextPlace {
    init(_ mark: yaml_mark_t) { self.init(line: mark.line + 1, column: mark.column + 1) }
}

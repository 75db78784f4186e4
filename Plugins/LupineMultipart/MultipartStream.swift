import LupineCore
import LupineSupport

/// Parses the bytes of a source and supplies the parts and their content.
final class MultipartStream {
  let limits: MultipartLimits
  let depth: Int
  private let source: MultipartParts.Source
  private let makeParser: () async throws(LupineError) -> MultipartParser
  private var parser: MultipartParser?
  private var chunk: ArraySlice<UInt8> = []
  private var number = 0
  private var isInPart = false
  private var hasEnded = false
  private var failure: LupineError?

  init(
    limits: MultipartLimits, depth: Int, source: @escaping MultipartParts.Source,
    makeParser: @escaping () async throws(LupineError) -> MultipartParser
  ) {
    self.makeParser = makeParser
    self.limits = limits
    self.depth = depth
    self.source = source
  }

  func nextPart() async throws(LupineError) -> MultipartParts.Part? {
    while let event = try await nextEvent() {
      guard case .partBegan(let headers) = event else { continue }
      return MultipartParts.Part(
        headers: headers, number: number, body: MultipartParts.PartBody(stream: self, number: number), stream: self)
    }
    return nil
  }

  func nextContent(of part: Int) async throws(LupineError) -> [UInt8]? {
    if let failure { throw failure }
    guard part == number else {
      throw LupineError(
        .invalidRequest,
        "Part \(part) of the multipart has been skipped; read its body before you request the next part.")
    }
    while isInPart, let event = try await nextEvent() {
      if case .content(let bytes) = event { return Array(bytes) }
    }
    return nil
  }

  private func nextEvent() async throws(LupineError) -> MultipartParser.Event? {
    if let failure { throw failure }
    do throws(LupineError) {
      while !hasEnded {
        if let event = try parser?.next(in: &chunk) {
          update(for: event)
          return event
        }
        let bytes = try await source()
        if parser == nil { parser = try await makeParser() }
        guard let bytes else {
          try parser?.finish()
          return nil
        }
        chunk = bytes[...]
      }
      return nil
    } catch {
      failure = error
      throw error
    }
  }

  private func update(for event: MultipartParser.Event) {
    switch event {
    case .partBegan:
      number += 1
      isInPart = true
    case .partEnded: isInPart = false
    case .ended: hasEnded = true
    case .content: break
    }
  }
}

extension MultipartStream {
  /// Creates the parser for a multipart of this content type at this depth.
  ///
  /// - Throws: `LupineError` of kind `limitExceeded(.nesting)` if the depth exceeds the limit.
  static func makeParser(
    _ contentType: String?, _ limits: MultipartLimits, _ depth: Int
  ) throws(LupineError) -> MultipartParser {
    guard depth <= limits.nesting else {
      throw LupineError(
        .limitExceeded(.nesting),
        "Multiparts are nested more than \(limits.nesting) levels deep, the limit MultipartLimits.nesting.")
    }
    return try MultipartParser(boundary: MultipartBoundary.inContentType(contentType), limits: limits)
  }
}

extension MultipartBoundary {
  /// Returns the boundary parameter of a multipart content type.
  static func inContentType(_ contentType: String?) throws(LupineError) -> String {
    let text = contentType ?? ""
    guard text.lowercased().hasPrefix("multipart/"), let boundary = MediaTypeText.parameter("boundary", of: text) else {
      throw LupineError(
        .serializationFailed,
        "The content type \"\(text.escapingControls(limit: 200))\" is not that of a multipart with a boundary.")
    }
    return boundary
  }
}

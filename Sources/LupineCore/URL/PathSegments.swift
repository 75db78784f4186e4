import LupineSupport

/// Escapes values that become segments of a path.
enum PathSegments {
  /// Returns a value as a part of a path.
  ///
  /// Percent-encodes every byte but the unreserved ones of RFC 3986 section 2.3, as RFC 6570 section 3.2.2 does.
  static func escaped(_ value: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(value.utf8.count)
    for byte in value.utf8 {
      if isUnreserved(byte) { bytes.append(byte) } else { PercentCoding.append(byte, to: &bytes) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte == .dot || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "~")
  }

  /// Throws if a segment is empty, or is `.` or `..` in any spelling.
  ///
  /// RFC 3986 section 6.2.2.2 decodes `%2E` to a dot, and section 5.2.4 then removes the segment. So there is no
  /// spelling that every server keeps.
  static func check(_ segment: String, _ name: @autoclosure () -> String) throws(LupineError) {
    if segment.isEmpty {
      throw LupineError(
        .invalidURL, "\(name()) is empty, which would change the shape of the URL's path; check the value.")
    }
    let view = segment.utf8
    let bytes = view.span
    if DotSegments.dots(bytes, 0..<bytes.count) != nil {
      throw LupineError(
        .invalidURL,
        "\(name()) is “.” or “..”, which servers remove from the URL's path (RFC 3986 section 5.2.4); check the value.")
    }
  }
}

extension HTTPURL {
  /// Returns the URL with segments appended to its path, each of them escaped.
  ///
  /// A `/`, `?`, `#` or `%` in a value is percent-encoded, so that the value stays one segment. Many servers decode the
  /// path before they split it into segments; such a server still receives the `/` as a separator.
  ///
  /// - Throws: `LupineError` of kind `.invalidURL` if a value is empty, `.` or `..`, which no spelling protects from
  ///   the normalisation of RFC 3986, and if the URL has a query or a fragment.
  public func appending(segments: any PathValue...) throws(LupineError) -> HTTPURL {
    try appending(segments: segments)
  }

  /// Returns the URL with segments appended to its path, as the method with single values does.
  public func appending(segments: [any PathValue]) throws(LupineError) -> HTTPURL {
    var path: [String] = []
    for (index, value) in segments.enumerated() {
      let segment = PathSegments.escaped(value.pathText)
      try PathSegments.check(segment, "Segment \(index + 1) of \(segments.count)")
      path.append(segment)
    }
    return path.isEmpty ? self : try appending(reference: path.joined(separator: "/"))
  }
}

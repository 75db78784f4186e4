/// A directive of `Cache-Control` (RFC 9111 section 5.2).
public struct CacheDirective: Sendable, Equatable {
  /// The argument of a directive.
  public enum Argument: Sendable, Equatable {
    case none
    case text(String)
    /// The argument violates the grammar.
    case invalid
  }

  /// The name in lower case.
  public let name: String
  /// The argument, a token or the content of a quoted string.
  public let argument: Argument
  /// Whether the argument is a quoted string without an end, which hides later directives.
  public let isUnclosed: Bool

  /// - Parameter name: in lower case.
  public init(name: String, argument: Argument, isUnclosed: Bool = false) {
    self.name = name
    self.argument = argument
    self.isUnclosed = isUnclosed
  }
}

extension FieldCursor {
  /// Reads the next directive of `Cache-Control`, and skips malformed parts; `nil` at the end of the field.
  public mutating func cacheDirective() -> CacheDirective? {
    while !isAtEnd {
      skipWhitespace()
      let name = token()?.lowercased()
      let (argument, isUnclosed) = name == nil ? (.none, false) : cacheArgument()
      skipToComma()
      _ = take(UInt8(ascii: ","))
      if let name { return CacheDirective(name: name, argument: argument, isUnclosed: isUnclosed) }
    }
    return nil
  }

  private mutating func cacheArgument() -> (CacheDirective.Argument, isUnclosed: Bool) {
    var argument = CacheDirective.Argument.none
    if take(UInt8(ascii: "=")) {
      if peek() == UInt8(ascii: "\"") {
        guard let text = quotedString() else { return (.invalid, true) }
        argument = .text(text)
      } else {
        argument = token().map { .text($0) } ?? .invalid
      }
    }
    skipWhitespace()
    // Anything between the directive and the next comma.
    return (isAtEnd || peek() == UInt8(ascii: ",") ? argument : .invalid, false)
  }
}

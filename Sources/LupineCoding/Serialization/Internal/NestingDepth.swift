import FoundationEssentials
import LupineCore

/// How deep a value may nest before it is refused, for decoders call themselves once a level.
enum NestingDepth {
  static let limit = JSONValue.maximumDepth

  static var exceeded: LupineError {
    LupineError(.limitExceeded(.nesting), "The body is nested more than \(limit) levels deep (limit `nesting`).")
  }

  /// The levels of arrays and objects in JSON text, brackets inside strings aside.
  static func json(_ data: Data) -> Int {
    var depth = 0
    var deepest = 0
    var isInString = false
    var isEscaped = false
    for byte in data {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
    }
    return deepest
  }
}

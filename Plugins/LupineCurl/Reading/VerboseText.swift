import LupineCore
import LupineSupport

/// The information about an exchange that libcurl exposes only in its verbose text.
enum VerboseText: Equatable {
  /// The request uses the stream with this number.
  case stream(UInt32)
  /// The server processes no stream of the connection above this one (RFC 9113 section 6.8).
  case goAway(last: UInt32)
  /// The server closed the stream before it processed the request (RFC 9113 section 8.7).
  case refused
  /// The server requires HTTP/1.1 for the request (RFC 9113 section 7, HTTP_1_1_REQUIRED).
  case needsHTTP1
  /// libcurl has discarded bytes after a head without content.
  case surplus

  /// Parses a line; `nil` if it contains none of this information.
  init?(_ line: UnsafeRawBufferPointer) {
    switch line.first {
    case UInt8(ascii: "U"):
      let prefix = "Using Stream ID: "
      guard line.starts(with: prefix.utf8), let number = Self.number(line.dropFirst(prefix.utf8.count)) else {
        return nil
      }
      self = .stream(number)
    case UInt8(ascii: "r"):
      // The first spelling is libcurl 7.88's.
      guard line.starts(with: "recveived GOAWAY, error=".utf8) || line.starts(with: "received GOAWAY, error=".utf8),
        let sign = line.lastIndex(of: UInt8(ascii: "=")), let number = Self.number(line[(sign + 1)...])
      else { return nil }
      self = .goAway(last: number)
    case UInt8(ascii: "R") where line.starts(with: "REFUSED_STREAM, retrying".utf8): self = .refused
    case UInt8(ascii: "D") where line.starts(with: "Downgrades to HTTP/1.1".utf8): self = .needsHTTP1
    case UInt8(ascii: "E") where line.starts(with: "Excess found".utf8): self = .surplus
    default: return nil
    }
  }

  /// Returns the leading decimal number; `nil` if there is none, or if it exceeds 32 bits.
  private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt32? {
    var number: UInt32?
    for byte in bytes {
      guard byte.isDigit else { break }
      let (tens, overflows) = (number ?? 0).multipliedReportingOverflow(by: 10)
      let (sum, overflowsNow) = tens.addingReportingOverflow(UInt32(byte - 0x30))
      guard !overflows, !overflowsNow else { return nil }
      number = sum
    }
    return number
  }
}

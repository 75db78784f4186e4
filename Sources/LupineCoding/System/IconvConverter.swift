import LupineCore
import LupineFoundation
import LupineSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Owns one iconv descriptor.
struct IconvConverter: ~Copyable {
  private let descriptor: iconv_t

  init(charset: String) throws(LupineError) {
    guard Self.isPlain(charset), let descriptor = iconv_open("UTF-8", charset), Int(bitPattern: descriptor) != -1 else {
      throw LupineError(
        .serializationFailed,
        "The charset \(charset.escapingControls(limit: 64)) is unknown. "
          + "Name the text's encoding with `.string(encoding:)`, or serialize it as data.")
    }
    self.descriptor = descriptor
  }

  deinit { iconv_close(descriptor) }

  /// Converts as much as one block can hold and appends it; a `nil` input writes the rest of the converter's state.
  borrowing func convert(_ input: UnsafeRawBufferPointer?, into text: inout [UInt8], blockSize: Int) -> Step {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: blockSize) { block in
      var source = input?.baseAddress.map { UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: CChar.self)) }
      var sourceLeft = input?.count ?? 0
      var target = block.baseAddress
      var targetLeft = blockSize
      let result: Int
      if source == nil {
        result = iconv(descriptor, nil, nil, &target, &targetLeft)
      } else {
        result = iconv(descriptor, &source, &sourceLeft, &target, &targetLeft)
      }
      let code = errno
      let produced = blockSize - targetLeft
      text += UnsafeRawBufferPointer(block).prefix(produced)
      let consumed = (input?.count ?? 0) - sourceLeft
      return Step(consumed: consumed, produced: produced, end: result == -1 ? Step.End(code) : .done)
    }
  }

  /// Whether the text is a plain charset name: iconv takes `""` as the locale's charset, and `/` begins options.
  private static func isPlain(_ charset: String) -> Bool {
    !charset.isEmpty && charset.utf8.count <= 64
      && charset.utf8.allSatisfy { $0.isTokenByte || [0x28, 0x29, 0x3A].contains($0) }
  }

  /// The result of one call.
  struct Step {
    var consumed: Int
    var produced: Int
    var end: End

    /// Why the call returned.
    enum End {
      case done, outputFull, truncated, invalid

      init(_ code: Int32) {
        switch code {
        case E2BIG: self = .outputFull
        case EINVAL: self = .truncated
        default: self = .invalid
        }
      }
    }
  }
}

import LupineCore

/// Hashes a request's body for `auth-int`, piece by piece.
enum BodyHash {
  private static let pieceSize = 64 << 10

  /// The hash in hexadecimal; `nil` where OpenSSL has no such function.
  ///
  /// - Throws: `LupineError` of kind `bodyFailed` where the body cannot be read.
  static func hexadecimal(_ body: Body, _ function: HashFunction) async throws -> String? {
    guard var hash = RunningHash(function) else { return nil }
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let reader = try body.makeReader { signal.yield() }
    defer { reader.cancel() }
    var readiness = signals.makeAsyncIterator()
    var buffer = [UInt8](repeating: 0, count: pieceSize)
    while true {
      switch try read(reader, &buffer) {
      case .bytes(let count): hash.update(buffer[..<count])
      case .pending:
        _ = await readiness.next()
        try Task.checkCancellation()
      case .end: return hash.finish().map(Hexadecimal.text)
      }
    }
  }

  private static func read(_ reader: any BodyReader, _ buffer: inout [UInt8]) throws -> BodyRead {
    try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
  }
}

import Dispatch
import FoundationEssentials
import LupineCore
import LupineMultipart
import Testing

/// Reads a body in pieces of at most `pieceSize` bytes, in the place of a transport.
func bytes(of body: RequestBody, pieceSize: Int = 1 << 16) throws -> [UInt8] {
  let ready = DispatchSemaphore(value: 0)
  let reader = try body.makeReader { ready.signal() }
  var all: [UInt8] = []
  var space = [UInt8](repeating: 0, count: pieceSize)
  while true {
    switch try space.withUnsafeMutableBytes({ (buffer) throws(LupineError) in try reader.read(into: buffer) }) {
    case .bytes(let count): all += space[..<count]
    case .pending: ready.wait()
    case .end: return all
    }
  }
}

/// The text of an encoded multipart body.
func text(of multipart: some MultipartConvertible, pieceSize: Int = 1 << 16) throws -> String {
  String(decoding: try bytes(of: multipart.asBody(), pieceSize: pieceSize), as: UTF8.self)
}

/// The error that an operation throws.
func failure(_ operation: () async throws -> Void) async throws -> LupineError {
  try #require(await #expect(throws: LupineError.self) { try await operation() })
}

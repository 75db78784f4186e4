import FoundationEssentials
import HTTPTypes
import LupineSession
import LupineMultipart

/// The encodings that are measured.
enum Encoding {
  static func form() throws -> RequestBody {
    var form = MultipartFormData()
    for number in 0..<16 { form.append(Data(repeating: UInt8(number), count: 4 << 20), name: "part\(number)") }
    return try form.asBody()
  }

  /// Reads a body to its end, into a buffer of the size that transports use; returns the number of bytes.
  static func read(_ body: RequestBody) throws -> Int {
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 64)
    defer { space.deallocate() }
    let reader = try body.makeReader {}
    var count = 0
    while case .bytes(let more) = try reader.read(into: space) { count += more }
    return count
  }

  static func body(of value: some Encodable & Sendable, _ encoder: any ParameterEncoder) throws -> Int {
    let request = try OutgoingRequest("https://example.com", method: .post).encoding(value, with: encoder)
    return Int(request.body.length ?? 0)
  }
}

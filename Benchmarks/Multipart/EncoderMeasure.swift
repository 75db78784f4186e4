import FoundationEssentials
import LupineCore
import LupineMultipart

/// The encoder alone: a form of bytes in memory, read into a buffer of the size that transports use.
enum EncoderMeasure {
  static func gigabytesPerSecond() throws -> Double {
    var form = MultipartFormData()
    for number in 0..<16 { form.append(Data(repeating: UInt8(number), count: 4 << 20), name: "part\(number)") }
    let body = try form.asBody()
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 64)
    defer { space.deallocate() }
    _ = try read(body, into: space)
    let clock = ContinuousClock()
    let rates = try (0..<5).map { _ in
      var count = 0
      let time = try clock.measure {
        for _ in 0..<16 { count += try read(body, into: space) }
      }
      return Double(count) / 1_000_000_000 / (time / .seconds(1))
    }
    return rates.sorted()[rates.count / 2]
  }

  private static func read(_ body: Body, into space: UnsafeMutableRawBufferPointer) throws -> Int {
    let reader = try body.makeReader {}
    var count = 0
    while case .bytes(let more) = try reader.read(into: space) { count += more }
    return count
  }
}

import LupineCore
@testable import LupineMultipart
import Testing

@Suite struct MultipartLimitsTests {
  private static func limits(_ change: (inout MultipartLimits) -> Void) -> MultipartLimits {
    var limits = MultipartLimits()
    change(&limits)
    return limits
  }

  @Test func `more parts than allowed are an error that names the limit`() async throws {
    let limits = Self.limits { $0.parts = 2 }
    let two = "--b\r\n\r\n1\r\n--b\r\n\r\n2"
    #expect(try parse("\(two)\r\n--b--", limits: limits).count == 2)
    let error = try await failure { _ = try parse("\(two)\r\n--b\r\n\r\n3\r\n--b--", limits: limits) }
    #expect(error.kind == .limitExceeded(.multipart))
    #expect(error.message.contains("MultipartLimits.parts in part 3"))
  }

  @Test(arguments: ["A: \(String(repeating: "x", count: 100))", String(repeating: "A: x\r\n", count: 20)])
  func `more bytes of fields than allowed are an error that names the limit`(fields: String) async throws {
    let limits = Self.limits { $0.fieldBytes = 100 }
    let error = try await failure { _ = try parse("--b\r\n\(fields)\r\n\r\nx\r\n--b--", limits: limits) }
    #expect(error.kind == .limitExceeded(.multipart))
    #expect(error.message.contains("MultipartLimits.fieldBytes in part 1"))
  }

  @Test func `a field without end is an error long before it is gathered`() async throws {
    var parser = try MultipartParser(boundary: "b")
    var start = Array("--b\r\nA: ".utf8)[...]
    #expect(try parser.next(in: &start) == nil)
    var fed = 0
    let error = try await failure {
      while true {
        var chunk = [UInt8](repeating: 0x78, count: 1_024)[...]
        fed += chunk.count
        _ = try parser.next(in: &chunk)
      }
    }
    #expect(error.kind == .limitExceeded(.multipart))
    #expect(fed <= 17 << 10)
  }

  @Test func `more fields than allowed are an error that names the limit`() async throws {
    let limits = Self.limits { $0.fields = 2 }
    let error = try await failure { _ = try parse("--b\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\nx\r\n--b--", limits: limits) }
    #expect(error.kind == .limitExceeded(.multipart))
    #expect(error.message.contains("MultipartLimits.fields in part 1"))
  }

  @Test func `an endless part is an error if parts have a limit`() async throws {
    let limits = Self.limits { $0.partBytes = 10_000 }
    var parser = try MultipartParser(boundary: "b", limits: limits)
    var start = Array("--b\r\n\r\n".utf8)[...]
    while try parser.next(in: &start) != nil {}
    var fed = 0
    let error = try await failure {
      while true {
        var chunk = [UInt8](repeating: 0x78, count: 1_000)[...]
        fed += chunk.count
        while try parser.next(in: &chunk) != nil {}
      }
    }
    #expect(error.kind == .limitExceeded(.multipart))
    #expect(error.message.contains("MultipartLimits.partBytes in part 1"))
    #expect(fed == 11_000)
  }

  @Test func `a preamble without end is an error`() async throws {
    let error = try await failure { _ = try parse(String(repeating: "x", count: 100_000)) }
    #expect(error.kind == .limitExceeded(.multipart))
    #expect(error.message.contains("MultipartLimits.preambleBytes before its first part"))
  }

  @Test func `blanks without end behind a delimiter are an error`() async throws {
    let error = try await failure { _ = try parse("--b" + String(repeating: " ", count: 100_000)) }
    #expect(error.kind == .serializationFailed)
  }

  static let hostile = [
    "@", ";", ",", "\t", "%", "{", "\r", "\r\n", "\r\n-", "\r\n--", "\r\n--b", "\r\n--b-", "\r\n--b \r", "-",
    "\r\r\n--",
  ]

  /// Checks that the work is linear in the size of the input, by the number of steps and without a clock.
  ///
  /// The input has 1 MiB if it repeats one of the first six patterns as the content of a part, and 64 KiB otherwise.
  @Test(arguments: hostile, ["--b\r\n\r\n", "--b\r\n", ""])
  func `a hostile megabyte takes steps in proportion`(pattern: String, start: String) throws {
    let isOfTheRow = start == "--b\r\n\r\n" && "@;,\t%{".contains(pattern)
    let size = isOfTheRow ? 1 << 20 : 1 << 16
    func steps(_ count: Int, chunk size: Int) throws -> Int {
      var limits = MultipartLimits()
      (limits.fieldBytes, limits.preambleBytes, limits.fields, limits.parts) = (.max, .max, .max, .max)
      var parser = try MultipartParser(boundary: "b", limits: limits)
      let bytes = Array((start + String(repeating: pattern, count: count / pattern.utf8.count)).utf8)
      do {
        for start in stride(from: 0, to: bytes.count, by: size) {
          var chunk = bytes[start..<min(start + size, bytes.count)]
          while try parser.next(in: &chunk) != nil {}
        }
      } catch {}
      return parser.steps
    }
    #expect(try steps(size, chunk: 1_000) <= 4 * size + 64)
  }
}

import HTTPTypes
import LupineCore
import LupineFixtures
import LupineFraming
import Testing

/// Heads that several readers read one after another with a shared `HeadCache`.
@Suite struct HeadReaderTests {
  private static let names = ["X-A", "x-a", "X-B", "ETag", "Set-Cookie", "Server", "Content-Length", "Age"]
  /// The lengths of values; some result in lines of 7, 8, 128 and 129 bytes, because the cache keeps 8 to 128 bytes.
  private static let lengths = [0, 1, 2, 3, 4, 5, 20, 122, 123, 124, 125]

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a head reads the same whatever heads came before it`(number: UInt64) throws {
    var random = SplitMix(seed: Seeds.first &+ number)
    let shared = HeadCache()
    var lines = Self.lines(&random)
    for _ in 0..<40 {
      Self.change(&lines, &random)
      let status = ["HTTP/1.1 200 OK", "HTTP/1.1 200 Fine", "HTTP/1.1 103 Early"].randomElement(using: &random) ?? ""
      let head = [status] + lines + [""]
      #expect(Self.read(head, shared) == Self.read(head, HeadCache()), "seed \(Seeds.first &+ number): \(head)")
    }
  }

  @Test func `a head that is known is held to the limits of each exchange`() {
    let shared = HeadCache()
    let head = ["HTTP/1.1 200 OK", "Server: a peer", "ETag: \"one\"", ""]
    for _ in 0..<3 { #expect(Self.read(head, shared) == Self.read(head, HeadCache())) }
    var limits = Limits()
    limits.responseFieldCount = 1
    #expect(Self.read(head, shared, limits).contains("responseFieldCount"))
    limits = Limits()
    limits.responseFields = 40
    #expect(Self.read(head, shared, limits).contains("responseFields"))
  }

  @Test func `an end that comes before the end of a head that is known completes none`() {
    let shared = HeadCache()
    let head = ["HTTP/1.1 200 OK", "Server: a peer", "ETag: \"one\"", ""]
    for _ in 0..<3 { _ = Self.read(head, shared) }
    #expect(Self.read(Array(head[..<3]), shared) == "nothing")
  }

  private static func lines(_ random: inout SplitMix) -> [String] {
    (0..<Int.random(in: 0...6, using: &random)).map { _ in line(&random) }
  }

  private static func line(_ random: inout SplitMix) -> String {
    let name = names.randomElement(using: &random) ?? ""
    let letter = ["a", "b", "\u{E9}"].randomElement(using: &random) ?? ""
    let length = lengths.randomElement(using: &random) ?? 0
    if name == "Content-Length" { return "\(name): \(length)" }
    return "\(name):" + (Bool.random(using: &random) ? " " : "") + String(repeating: letter, count: length)
  }

  /// Changes few lines, because consecutive responses of a server have mostly the same fields.
  private static func change(_ lines: inout [String], _ random: inout SplitMix) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: lines = Self.lines(&random)
    case 1: lines.shuffle(using: &random)
    case 2: lines.append(line(&random))
    case 3, 4:
      if let index = lines.indices.randomElement(using: &random) { lines[index] = line(&random) }
    default: break
    }
  }

  /// The result of reading a head: its status, its fields in order and its framing, or the error.
  private static func read(_ lines: [String], _ known: HeadCache, _ limits: Limits = Limits()) -> String {
    var reader = HeadReader(limits, known)
    do throws(LupineError) {
      for line in lines {
        let head = Array("\(line)\r\n".utf8).withUnsafeBytes { bytes in
          Result { () throws(LupineError) in try reader.process(bytes) }
        }
        switch try head.get() {
        case nil: continue
        case .interim(let response): return "\(response.status) \(text(response.headerFields))"
        case .final(let head):
          return "\(head.response.status) \(text(head.response.headerFields)) \(head.framing(to: .get))"
        }
      }
      return "nothing"
    } catch {
      return error.message
    }
  }

  private static func text(_ fields: HTTPFields) -> String {
    // The cache may return a field name with the case of an earlier head, so the comparison ignores case.
    fields.map { "\($0.name.canonicalName)=\($0.value)" }.joined(separator: "|")
  }
}

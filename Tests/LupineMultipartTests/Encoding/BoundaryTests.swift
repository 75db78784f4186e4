import FoundationEssentials
import LupineCore
import LupineMultipart
import Synchronization
import Testing

/// Boundaries that a peer cannot guess.
@Suite struct BoundaryTests {
  /// Consecutive numbers in the place of random ones.
  final class Counter: Sendable {
    let calls = Mutex<UInt64>(0)
    func next() -> UInt64 {
      calls.withLock { calls in
        calls += 1
        return calls
      }
    }
  }

  @Test func `a boundary has at least 128 bits of the random source`() {
    let counter = Counter()
    _ = MultipartFormData(random: counter.next)
    #expect(counter.calls.withLock { $0 } * 64 >= 128)
  }

  @Test(arguments: 0..<192) func `every random bit changes the boundary`(bit: Int) {
    let zero = MultipartBoundary { 0 }.text
    let calls = Mutex(0)
    let changed = MultipartBoundary {
      calls.withLock { calls in
        defer { calls += 1 }
        return calls == bit / 64 ? 1 << UInt64(bit % 64) : 0
      }
    }
    #expect(changed.text != zero)
  }

  @Test func `two forms have different boundaries`() {
    #expect(Set((0..<1_000).map { _ in MultipartFormData().boundary }).count == 1_000)
  }

  @Test func `a random source that repeats makes the same boundary`() {
    #expect(MultipartFormData(random: Counter().next).boundary == MultipartFormData(random: Counter().next).boundary)
  }

  @Test func `a generated boundary conforms to RFC 2046 and needs no quotes`() throws {
    let form = MultipartFormData()
    #expect(try MultipartBoundary(form.boundary).text == form.boundary)
    #expect(form.contentType == "multipart/form-data; boundary=\(form.boundary)")
  }

  @Test func `content that contains the text of a boundary comes through`() throws {
    let old = MultipartFormData()
    let content = try bytes(of: old.asBody()) + Array("\r\n--\(old.boundary)\r\n\r\n--\(old.boundary)--\r\n".utf8)
    var form = MultipartFormData()
    form.append(Data(content), name: "form")
    let parts = try ReceivedPart.parts(of: Data(bytes(of: form.asBody())), contentType: form.contentType)
    #expect(parts.map(\.data) == [Data(content)])
  }

  @Test(arguments: ["--b", "x\r\n--b", "x\r\n--bc", "\r\n--b--"])
  func `content in memory that contains a boundary the caller chose is refused`(content: String) async throws {
    var form = try MultipartFormData(boundary: "b")
    form.append(content, name: "content")
    let error = try await failure { _ = try form.asBody() }
    #expect(error.kind == .invalidRequest)
    #expect(error.message.hasPrefix("Part 1 (\"content\")"))
  }

  @Test(arguments: ["x--b", "\n--b", "\r--b", "\r\n-b", "b"]) func `content that is near to a boundary is sent`(
    content: String
  ) throws {
    var form = try MultipartFormData(boundary: "b")
    form.append(content, name: "content")
    #expect(try text(of: form).contains("\r\n\r\n\(content)\r\n--b--"))
  }

  @Test(arguments: [
    "", String(repeating: "b", count: 71), "b ", "a\rb", "a\nb", "a\"b", "ü", "a\0b", "a;b", "a\\b", "a@b",
  ])
  func `a boundary that RFC 2046 does not allow is refused`(boundary: String) async throws {
    #expect(try await failure { _ = try MultipartFormData(boundary: boundary) }.kind == .invalidRequest)
  }

  @Test(arguments: [("b", "b"), ("a b", "\"a b\""), ("'()+_,-./:=?", "\"'()+_,-./:=?\"")])
  func `a boundary is quoted in the content type if necessary`(boundary: String, expected: String) throws {
    #expect(try MultipartFormData(boundary: boundary).contentType == "multipart/form-data; boundary=\(expected)")
  }

  @Test func `multiparts are nested 64 levels deep at most`() async throws {
    func nested(_ depth: Int) -> Multipart {
      (1..<depth).reduce(into: Multipart()) { inner, _ in
        var outer = Multipart()
        outer.append(inner)
        inner = outer
      }
    }
    _ = try nested(64).asBody()
    let error = try await failure { _ = try nested(65).asBody() }
    #expect(error.kind == .limitExceeded(.nesting))
    #expect(error.message.contains("64"))
  }

  @Test(arguments: [("b", "b"), ("b", "bc"), ("bc", "b")])
  func `a nested boundary that could be taken for the outer one is refused`(outer: String, inner: String) async throws {
    var multipart = try Multipart(.mixed, boundary: outer)
    multipart.append(try Multipart(.alternative, boundary: inner))
    #expect(try await failure { _ = try multipart.asBody() }.kind == .invalidRequest)
  }
}

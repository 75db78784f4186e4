import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import LupineTransfers
import Testing

/// Responses to a request for the rest of a file whose status, `Content-Range`, length, validator and digest contradict
/// each other.
@Suite struct ContradictionTests: TransferSuite {
  let bench: TransferBench

  init() throws { bench = try TransferBench() }

  private static let digits = "0123456789"

  /// A response to `Range: bytes=4-`, one of all combinations.
  private struct Answer: CustomStringConvertible {
    var status: Int
    var ranges: [String]
    var tags: [String]
    var text: String
    var statesLength: Bool

    var reply: MockReply {
      var reply = MockReply.text(text, status: .init(code: status))
      for range in ranges { reply = reply.field(.contentRange, range) }
      for tag in tags { reply = reply.field(.eTag, tag) }
      return statesLength ? reply : reply.chunked([text])
    }

    var description: String { "\(status) \(ranges) \(tags) \(text)\(statesLength ? "" : ", chunked")" }

    private var range: String? { Set(ranges).count == 1 ? ranges.first : nil }
    private var tag: String? { Set(tags).count == 1 ? tags.first : nil }

    /// Whether the download may continue with this response.
    var continues: Bool {
      status == 206 && range == "bytes 4-9/10" && tag == "\"v1\"" && text == "456789"
    }

    /// Whether this response may be taken for the whole file.
    ///
    /// - Parameter knownLength: the length of the file of version 1.
    func isWhole(_ knownLength: Int?) -> Bool {
      guard status == 200, ranges.isEmpty || range == "bytes 0-\(text.count - 1)/\(text.count)" else { return false }
      return tag != "\"v1\"" || text.count == knownLength ?? text.count
    }
  }

  private static let ranges: [[String]] = [
    [], ["bytes 4-9/10"], ["bytes 0-9/10"], ["bytes 0-5/6"], ["bytes 3-9/10"], ["bytes 4-9/*"], ["bytes 4-9/11"],
    ["bytes 4-8/10"], ["bytes */10"], ["bytes"], ["bytes 4-9/10", "bytes 4-9/10"], ["bytes 4-9/10", "bytes 0-9/10"],
  ]
  private static let tags: [[String]] = [
    ["\"v1\""], ["\"v2\""], ["W/\"v1\""], [], ["\"v1\"", "\"v1\""], ["\"v1\"", "\"v2\""],
  ]

  private static func answers(_ status: Int) -> [Answer] {
    ranges.flatMap { ranges in
      tags.flatMap { tags in
        ["456789", digits].flatMap { text in
          [true, false].map { Answer(status: status, ranges: ranges, tags: tags, text: text, statesLength: $0) }
        }
      }
    }
  }

  /// Interrupts a download after four bytes, resumes it with each answer, and returns what was written and requested.
  private func resume(
    _ answer: Answer, _ policy: ResumePolicy, isLengthKnown: Bool, digest: ExpectedDigest?
  ) async throws -> (text: String?, error: LupineError?, count: Int) {
    let whole = MockReply.text(Self.digits).field(.eTag, "\"v1\"")
    let beginning = isLengthKnown ? whole : whole.chunked([Self.digits])
    let mock = MockTransport()
    mock.stub(.get, "/a", .sequence([beginning.reset(afterBytes: 4), answer.reply, whole]))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://example.com").build()
    let path = folder.file("a")
    let interrupted = await session.download("a", to: .file(path)).serializingFile().response
    let request = session.download(resumingWith: try #require(interrupted.resumeData), otherwise: policy)
    if let digest { request.expecting(digest) }
    let response = await request.serializingFile().response
    if let data = response.resumeData { try DownloadRequest.discard(data) }
    let text = try? folder.text("a")
    for name in folder.names {
      #expect(name == "a", "\(answer): \(name)")
      unlink(folder.file(name))
    }
    return (text, response.error, mock.requests.count)
  }

  @Test(arguments: [200, 206, 416], [ResumePolicy.restart, .fail])
  func `a response that contradicts itself is an error or a new beginning, and never a file`(
    status: Int, policy: ResumePolicy
  ) async throws {
    for answer in Self.answers(status) {
      for isLengthKnown in answer.statesLength ? [true, false] : [true] {
        let result = try await resume(answer, policy, isLengthKnown: isLengthKnown, digest: nil)
        let comment = Comment(rawValue: "\(answer), the length is \(isLengthKnown ? "known" : "unknown")")
        if answer.continues {
          #expect(result.text == Self.digits, comment)
          #expect(result.count == 2, comment)
        } else if policy == .fail {
          // The length of a body without a stated length is known at its end.
          let kinds: [LupineError.Kind?] = answer.statesLength ? [.resumeFailed] : [.resumeFailed, .malformedResponse]
          #expect(kinds.contains(result.error?.kind), comment)
          #expect(result.text == nil, comment)
        } else if answer.isWhole(isLengthKnown ? 10 : nil) {
          #expect(result.text == answer.text, comment)
          #expect(result.count == 2, comment)
        } else if result.error == nil {
          #expect(result.text == Self.digits, comment)
          #expect(result.count == 3, comment)
        } else {
          #expect(result.error?.kind == .malformedResponse, comment)
          #expect(result.text == nil, comment)
        }
      }
    }
  }

  @Test(arguments: [200, 206, 416])
  func `with the digest of the file, each answer gives that file or an error`(status: Int) async throws {
    let digest = ExpectedDigest.sha256("84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882")
    for answer in Self.answers(status) where answer.statesLength {
      let result = try await resume(answer, .restart, isLengthKnown: true, digest: digest)
      #expect(result.text ?? Self.digits == Self.digits, "\(answer)")
      #expect((result.error == nil) == (result.text != nil), "\(answer)")
    }
  }

  @Test(arguments: [
    "bytes 4-9/10", "bytes 0-8/10", "bytes 0-9/11", "bytes 0-9/*", "bytes */10", "bytes=0-9/10", "BYTES 1-2/10",
  ])
  func `a first response with status 200 and a part of the file is an error`(range: String) async throws {
    mock.stub(.get, "/a", .text(Self.digits).field(.contentRange, range).field(.eTag, "\"v1\""))
    let response = await session.download("a", to: .file(folder.file("a"))).serializingFile().response
    #expect(response.error?.kind == .malformedResponse)
    #expect(response.error?.message.contains("Content-Range") == true)
    #expect(folder.names.isEmpty)
  }

  @Test(arguments: ["bytes 0-9/10", "items 0-4/319", "0-24/3573458", "posts 4-9/*"])
  func `a range of the whole file, or in another unit, contradicts nothing`(range: String) async throws {
    mock.stub(.get, "/a", .text(Self.digits).field(.contentRange, range))
    _ = try await session.download("a", to: .file(folder.file("a"))).serializingFile().value
    #expect(try folder.text("a") == Self.digits)
  }

  @Test(
    arguments: [("bytes 2-5/10", true), ("bytes 2-4/10", false), ("bytes 2-5/*", true), ("bytes 2-6/*", false)],
    [true, false])
  func `a part that the program requested has the length of its range`(
    range: (text: String, fits: Bool), statesLength: Bool
  ) async throws {
    let reply = MockReply.text("2345", status: .partialContent).field(.contentRange, range.text)
    mock.stub(.get, "/a", statesLength ? reply : reply.chunked(["23", "45"]))
    let response = await session.download("a", headers: [.range: "bytes=2-5"], to: .file(folder.file("a")))
      .serializingFile().response
    #expect(response.error?.kind == (range.fits ? nil : .malformedResponse))
    #expect(folder.names == (range.fits ? ["a"] : []))
  }

  @Test(arguments: [["\"v1\"", "\"v2\""], ["\"v1\" \"v2\""], ["\"v1\", \"v1\""]])
  func `two entity tags, or one with quotes inside, are not a validator`(tags: [String]) async throws {
    let reply = tags.reduce(MockReply.text(Self.digits)) { $0.field(.eTag, $1) }
    mock.stub(.get, "/a", reply.reset(afterBytes: 4))
    let response = await session.download("a", to: .file(folder.file("a"))).serializingFile().response
    #expect(response.resumeData == nil)
    #expect(folder.names.isEmpty)
  }

  @Test func `an entity tag that arrives twice is one`() async throws {
    let reply = MockReply.text(Self.digits).field(.eTag, "\"v1\"").field(.eTag, "\"v1\"")
    mock.stub(.get, "/a", .sequence([reply.reset(afterBytes: 4), .resource(Data(Self.digits.utf8), etag: "v1")]))
    _ = try await session.download("a", to: .file(folder.file("a"))).resumesAutomatically(otherwise: .fail)
      .serializingFile().value
    #expect(mock.requests.last?.headers[.ifRange] == "\"v1\"")
    #expect(try folder.text("a") == Self.digits)
  }
}

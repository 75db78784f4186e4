import Foundation
import Glibc
import HTTPTypes
import LupineCore
import LupineTransfers
import LupineFixtures
import LupineMock
import Testing

/// The resume policy of checkpoints, of automatic resumption and of resume data.
@Suite struct ResumePolicyTests: TransferSuite {
  let bench: TransferBench

  init() throws { bench = try TransferBench() }

  private var whole: MockReply { .resource(Data("0123456789".utf8), etag: "v1") }
  private var ranges: [String?] { mock.requests.map { $0.headers[.range] } }

  private static func part(_ range: String, tag: String = "\"v1\"", status: HTTPResponse.Status = .partialContent)
    -> MockReply
  {
    .text("XXXXXX", status: status).field(.contentRange, range).field(.eTag, tag)
  }

  /// Responses that do not continue the partial file.
  private static let answers: [MockReply] = [
    .resource(Data("abcdefghij".utf8), etag: "v2"), part("bytes 3-8/10"), part("bytes 4-9/10", tag: "\"v2\""),
    part("bytes */4", status: .init(code: 416)),
  ]

  private func download(_ policy: ResumePolicy, _ path: String = "a") async -> DownloadResponse<URL> {
    await session.download(path, to: .file(folder.file("a"))).checkpoint(folder.file("a.resume"), otherwise: policy)
      .serializingFile().response
  }

  /// The text of each file in the folder, by the name of the file.
  private var contents: [String: String] {
    Dictionary(uniqueKeysWithValues: folder.names.map { ($0, (try? folder.text($0)) ?? "") })
  }

  // Checkpoints

  @Test(arguments: answers.indices)
  func `with the policy fail, a checkpoint that cannot be resumed is an error, and stays`(answer: Int)
    async throws
  {
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), Self.answers[answer], whole]))
    _ = await download(.fail)
    let before = contents
    #expect(before.count == 2)
    let response = await download(.fail)
    #expect(response.error?.kind == .resumeFailed)
    #expect(response.resumeData != nil)
    #expect(contents == before)
    #expect(await download(.fail).error == nil)
    #expect(ranges == [nil, "bytes=4-", "bytes=4-"])
    #expect(contents == ["a": "0123456789"])
  }

  @Test func `with the policy fail, a checkpoint without its partial file is an error, and nothing is requested`()
    async throws
  {
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), whole]))
    _ = await download(.fail)
    let partial = try #require(folder.names.first { $0 != "a.resume" })
    unlink(folder.file(partial))
    let before = contents
    let response = await download(.fail)
    #expect(response.error?.kind == .resumeFailed)
    #expect(response.error?.message.contains("partial file") == true)
    #expect(ranges == [nil])
    #expect(contents == before)
    #expect(await download(.restart).error == nil)
    #expect(contents == ["a": "0123456789"])
  }

  @Test(arguments: ["", "{}", "no checkpoint", "\0"])
  func `with the policy fail, a file that is no checkpoint is an error, and stays`(content: String) async throws {
    mock.stub(.get, "/a", whole)
    try folder.write(content, to: "a.resume")
    let response = await download(.fail)
    #expect(response.error?.kind == .resumeFailed)
    #expect(response.error?.message.contains("a.resume") == true)
    #expect(ranges.isEmpty)
    #expect(contents == ["a.resume": content])
  }

  @Test func `without a checkpoint, and with that of another URL, the download begins`() async throws {
    mock.stub(.get, "/a", whole.reset(afterBytes: 4))
    mock.stub(.get, "/b", whole)
    #expect(await download(.fail).error?.kind == .connectionLost)
    #expect(await download(.fail, "b").error == nil)
    #expect(ranges == [nil, nil])
    #expect(try folder.text("a") == "0123456789")
  }

  @Test func `a download that continues with resume data has its own checkpoint`() async throws {
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), whole.reset(afterBytes: 3), whole]))
    let data = await session.download("a", to: .file(folder.file("a"))).serializingFile().response.resumeData
    let second = session.download(resumingWith: try #require(data)).checkpoint(folder.file("a.resume"))
    #expect(await second.serializingFile().response.error?.kind == .connectionLost)
    #expect(await download(.fail).error == nil)
    #expect(ranges == [nil, "bytes=4-", "bytes=7-"])
    #expect(contents == ["a": "0123456789"])
  }

  // Automatic resumption

  @Test(arguments: answers.indices, [ResumePolicy.restart, .fail])
  func `a download that resumes automatically restarts or fails, as chosen`(answer: Int, policy: ResumePolicy)
    async throws
  {
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), Self.answers[answer], whole]))
    let response = await session.download("a", to: .file(folder.file("a"))).resumesAutomatically(otherwise: policy)
      .serializingFile().response
    #expect(response.error?.kind == (policy == .fail ? .resumeFailed : nil))
    #expect((response.resumeData != nil) == (policy == .fail))
    #expect(folder.names.contains("a") == (policy == .restart))
    #expect(policy == .restart || contents.values.sorted() == ["0123"])
    #expect(folder.names.count == 1)
  }

  @Test(arguments: [ResumePolicy.restart, .fail])
  func `a file without a validator restarts or fails, as chosen`(policy: ResumePolicy) async throws {
    mock.stub(.get, "/a", .sequence([.text("0123456789").reset(afterBytes: 4), .text("abcdefghij")]))
    let response = await session.download("a", to: .file(folder.file("a"))).resumesAutomatically(otherwise: policy)
      .serializingFile().response
    #expect(response.error?.kind == (policy == .fail ? .resumeFailed : nil))
    #expect(contents == (policy == .fail ? [:] : ["a": "abcdefghij"]))
  }

  @Test func `automatic resuming does not loosen the policy of the resume data`() async throws {
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), whole.reset(afterBytes: 2), Self.answers[0]]))
    let data = await session.download("a", to: .file(folder.file("a"))).serializingFile().response.resumeData
    let second = session.download(resumingWith: try #require(data), otherwise: .fail).resumesAutomatically()
    #expect(await second.serializingFile().response.error?.kind == .resumeFailed)
    #expect(ranges == [nil, "bytes=4-", "bytes=6-"])
  }
}

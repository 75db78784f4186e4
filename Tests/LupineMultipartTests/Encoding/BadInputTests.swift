import FoundationEssentials
import Glibc
import LupineCore
import LupineFixtures
import LupineMultipart
import Testing

@Suite struct BadInputTests {
  private static func form(_ path: String) -> MultipartFormData {
    var form = MultipartFormData()
    form.append("first", name: "first")
    form.append(.file(path), name: "file")
    return form
  }

  private func expectFailure(_ form: MultipartFormData, _ words: String) async throws {
    let error = try await failure { _ = try bytes(of: form.asBody()) }
    #expect(error.kind == .bodyFailed)
    #expect(error.message.hasPrefix("Part 2 (\"file\") of the multipart body cannot be sent. "))
    #expect(error.message.contains(words), "\(error.message)")
  }

  @Test func `a missing file is an error that names the part`() async throws {
    try await expectFailure(Self.form("/does/not/exist"), "cannot be opened: No such file")
  }

  @Test func `a folder is an error that names the part`() async throws {
    let folder = try TemporaryFolder()
    try await expectFailure(Self.form(folder.path), "is a folder")
  }

  @Test func `a named pipe is an error that hangs nothing`() async throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    try await expectFailure(Self.form("\(folder.path)/pipe"), "not a regular file")
  }

  @Test func `links that lead in a circle are an error that names the part`() async throws {
    let folder = try TemporaryFolder()
    #expect(symlink("\(folder.path)/circle", "\(folder.path)/circle") == 0)
    try await expectFailure(Self.form("\(folder.path)/circle"), "cannot be opened")
  }

  @Test func `a file without permission is an error that names the part`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("x", to: "secret")
    #expect(chmod(path, 0) == 0)
    let body = try Self.form(path).asBody()
    let opening = try asNobody { Result { () throws(LupineError) in try body.makeReader {} } }
    let error = try #require(throws: LupineError.self) { try opening.get() }
    #expect(error.kind == .bodyFailed)
    #expect(error.message.hasPrefix("Part 2 (\"file\") of the multipart body cannot be sent. "))
    #expect(error.message.contains("Permission denied"))
  }

  /// Runs `body` on this thread without the right of root to read every file.
  private func asNobody<Value>(_ body: () -> Value) throws -> Value {
    // The module `Glibc` does not include `sys/fsuid.h`.
    let symbol = try #require(dlsym(nil, "setfsuid"))
    let setUser = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> Int32).self)
    let user = setUser(65_534)
    defer { _ = setUser(uid_t(user)) }
    return body()
  }

  @Test func `a path with a NUL is an error that names the part`() async throws {
    var form = MultipartFormData()
    form.append("first", name: "first")
    form.append(.file("/etc/hostname\0.png"), name: "file", fileName: "x")
    try await expectFailure(form, "NUL")
  }

  @Test func `a file shorter than its part is an error that names the part`() async throws {
    let folder = try TemporaryFolder()
    var form = MultipartFormData()
    form.append("first", name: "first")
    form.append(.file(try folder.write("0123456789", to: "a"), offset: 5, length: 6), name: "file")
    try await expectFailure(form, "has 10 bytes, fewer")
  }

  /// Reads a body up to the first block of a file of 4 MiB, changes the file's size, and reads the rest.
  private func change(to size: Int) async throws -> LupineError {
    let folder = try TemporaryFolder()
    let path = try folder.write(Data(repeating: 1, count: 4 << 20), to: "changing")
    let reader = try AsyncBodyReader(Self.form(path).asBody().makeReader)
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
    defer { space.deallocate() }
    while try await reader.read(into: space) != 4_096 {}
    #expect(truncate(path, off_t(size)) == 0)
    return try await failure {
      while try await reader.read(into: space) != nil {}
    }
  }

  @Test func `a file that shrinks meanwhile is an error that names the part`() async throws {
    let error = try await change(to: 2 << 20)
    #expect(error.kind == .bodyFailed)
    #expect(error.message.hasPrefix("Part 2 (\"file\")"))
    #expect(error.message.contains("shorter"))
  }

  @Test func `a file that grows meanwhile is an error that names the part`() async throws {
    let error = try await change(to: 8 << 20)
    #expect(error.kind == .bodyFailed)
    #expect(error.message.hasPrefix("Part 2 (\"file\")"))
    #expect(error.message.contains("changed its size"))
  }

  @Test func `a file that is replaced by another after its turn is not missed`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("content", to: "a")
    let body = try Self.form(path).asBody()
    _ = try bytes(of: body)
    _ = try folder.write("longer content", to: "a")
    #expect(String(decoding: try bytes(of: body), as: UTF8.self).contains("longer content"))
  }

  @Test func `a stream that throws half-way is an error that names the part`() async throws {
    var form = MultipartFormData()
    form.append("first", name: "first")
    form.append(.stream(length: 100) { Throwing() }, name: "file")
    let error = try await failure { _ = try await form.encode() }
    #expect(error.kind == .bodyFailed)
    #expect(error.message.hasPrefix("Part 2 (\"file\")"))
  }

  @Test(arguments: [4, 6]) func `a stream whose length differs from its stated length is an error that names the part`(
    length: Int64
  ) async throws {
    var form = MultipartFormData()
    form.append(.stream(length: length) { Pieces(["01234"]) }, name: "file")
    #expect(try await failure { _ = try await form.encode() }.message.hasPrefix("Part 1 (\"file\")"))
  }

  @Test(arguments: [1, 3]) func `a reader that breaks its promise of a length is an error that names the part`(
    length: Int64
  ) async throws {
    var form = MultipartFormData()
    let two = RequestBody.text("12")
    form.append(
      RequestBody(length: length, isReplayable: true) { (onReady) throws(LupineError) in
        try two.makeReader(onReady: onReady)
      },
      name: "file")
    #expect(try await failure { _ = try await form.encode() }.message.hasPrefix("Part 1 (\"file\")"))
  }

  @Test func `a one-shot part fails the second sending`() async throws {
    var form = MultipartFormData()
    form.append(.oneShot(Pieces(["once"])), name: "file")
    #expect(String(decoding: try await form.encode(), as: UTF8.self).contains("once"))
    #expect(try await failure { _ = try await form.encode() }.message.hasPrefix("Part 1 (\"file\")"))
  }

  @Test func `a body that was cancelled reads no further`() async throws {
    let reader = try Self.form("/etc/hostname").asBody().makeReader {}
    reader.cancel()
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
    defer { space.deallocate() }
    #expect(try await failure { _ = try reader.read(into: space) }.kind == .cancelled)
  }

  @Test func `cancelling the task ends an encoding whose stream never does`() async throws {
    var form = MultipartFormData()
    let (endless, continuation) = AsyncStream<[UInt8]>.makeStream()
    form.append(.stream { endless }, name: "file")
    let encoding = Task { [form] in try await form.encode() }
    continuation.yield([1])
    encoding.cancel()
    #expect(try await failure { _ = try await encoding.value }.kind == .cancelled)
  }
}

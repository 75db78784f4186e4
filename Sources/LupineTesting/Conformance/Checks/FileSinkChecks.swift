import Glibc
import LupineCore

extension ConformanceKit {
  static let fileSinkChecks: [ConformanceCheck] = [wholeFile, atOffset, limit, readOnly]

  private static let wholeFile = ConformanceCheck("a body goes into a file") { stage in
    let file = try TemporaryFile()
    try stage.play { _ in .bytes(numberedBytes(300_000)) }
    let response = try await stage.fetch(with: StageSettings(sink: .file(descriptor: file.descriptor)))
    try stage.expect(response.end.byteCount, 300_000, "The bytes at the sink")
    try stage.expect(response.end.data.count, 0, "The bytes kept in memory")
    try stage.expect(bytes: file.content, numberedBytes(300_000), "The file")
  }

  private static let atOffset = ConformanceCheck("a body goes into a file from an offset on, the front untouched") {
    stage in
    let file = try TemporaryFile(Array("front".utf8))
    try stage.play { _ in .chunks([.text("one "), .text("two")]) }
    let response = try await stage.fetch(with: StageSettings(sink: .file(descriptor: file.descriptor, offset: 5)))
    try stage.expect(response.end.byteCount, 7, "The bytes at the sink")
    try stage.expect(bytes: file.content, Array("frontone two".utf8), "The file")
  }

  private static let limit = ConformanceCheck("a body over the limit of its file fails") { stage in
    let file = try TemporaryFile()
    try stage.play { $0.target == "/next" ? .text("next") : .bytes(numberedBytes(1001)) }
    let error = try await stage.expect(error: .limitExceeded(.sink), "The body of 1,001 bytes") {
      _ = try await stage.fetch(with: StageSettings(sink: .file(descriptor: file.descriptor, limit: 1000)))
    }
    try stage.expect(received: 1001...1001, by: error)
    try stage.expect(file.content.count <= 1000, "Whether the file stays within its limit")
    try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
  }

  private static let readOnly = ConformanceCheck("a file that cannot be written fails the body") { stage in
    let file = try TemporaryFile()
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    try stage.play { $0.target == "/next" ? .text("next") : .text("hello") }
    let error = try await stage.expect(error: .fileFailed, "The body") {
      _ = try await stage.fetch(with: StageSettings(sink: .file(descriptor: descriptor)))
    }
    try stage.expect(received: 5...5, by: error)
    try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
  }
}

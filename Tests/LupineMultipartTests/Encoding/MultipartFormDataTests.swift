import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMultipart
import Testing

@Suite struct MultipartFormDataTests {
  @Test func `a form is written as browsers write it`() throws {
    let folder = try TemporaryFolder()
    var form = try MultipartFormData(boundary: "b")
    form.append("rainbow", name: "title")
    form.append(.file(try folder.write("image", to: "unicorn.png")), name: "unicorn")
    #expect(form.contentType == "multipart/form-data; boundary=b")
    let expected = [
      "--b", "Content-Disposition: form-data; name=\"title\"", "", "rainbow",
      "--b", "Content-Disposition: form-data; name=\"unicorn\"; filename=\"unicorn.png\"", "Content-Type: image/png",
      "",
      "image", "--b--", "",
    ]
    #expect(try text(of: form) == expected.joined(separator: "\r\n"))
  }

  @Test func `a part is the file that a URL names, under its name`() throws {
    let folder = try TemporaryFolder()
    var form = try MultipartFormData(boundary: "b")
    form.append(.file(URL(filePath: try folder.write("image", to: "a unicorn.png"))), name: "unicorn")
    let text = try text(of: form)
    #expect(text.contains("filename=\"a unicorn.png\"\r\nContent-Type: image/png\r\n\r\nimage\r\n"))
  }

  @Test func `an empty form is its last delimiter`() throws {
    #expect(try text(of: MultipartFormData(boundary: "b")) == "--b--\r\n")
  }

  @Test(arguments: [1, 2, 3, 7, 64, 4_096]) func `the size of the transport's buffer changes nothing`(size: Int) throws
  {
    let folder = try TemporaryFolder()
    var form = try MultipartFormData(boundary: "b")
    form.append(String(repeating: "x", count: 100), name: "text")
    form.append(.file(try folder.write(String(repeating: "y", count: 1_000), to: "a.txt")), name: "file")
    form.append(Data(), name: "nothing")
    #expect(try text(of: form, pieceSize: size) == text(of: form))
  }

  @Test func `the length is exact when each part's is known`() throws {
    let folder = try TemporaryFolder()
    var form = MultipartFormData()
    form.append("ü", name: "text")
    form.append(.file(try folder.write("0123456789", to: "a.txt"), offset: 2, length: 3), name: "range")
    form.append(.file(try folder.write("0123456789", to: "b.txt")), name: "whole")
    let count = Int64(try bytes(of: form.asBody()).count)
    #expect(try form.contentLength() == count)
    #expect(try form.asBody().makeReader {}.length == count)
  }

  @Test func `a stream of unknown length leaves the whole length open`() throws {
    var form = MultipartFormData()
    form.append(.stream { AsyncStream<[UInt8]> { $0.finish() } }, name: "stream")
    #expect(try form.contentLength() == nil)
    #expect(try form.asBody().makeReader {}.length == nil)
  }

  @Test func `a stream of known length is part of the whole length`() async throws {
    var form = MultipartFormData()
    form.append(.stream(length: 5) { Pieces(["he", "llo"]) }, name: "stream")
    #expect(try await form.encode().count == Int(try #require(try form.contentLength())))
  }

  @Test func `it can be sent again unless a part is one-shot`() async throws {
    var form = MultipartFormData()
    form.append(.stream { Pieces(["a"]) }, name: "again")
    #expect(try form.asBody().isReplayable)
    form.append(.oneShot(Pieces(["b"])), name: "once")
    #expect(try !form.asBody().isReplayable)
    #expect(try form.asBody().isRetryable)
    _ = try await form.encode()
    #expect(try !form.asBody().isRetryable)
  }

  @Test func `two sendings have the same bytes`() throws {
    let folder = try TemporaryFolder()
    var form = MultipartFormData()
    form.append(.file(try folder.write("content", to: "a.txt")), name: "file")
    let body = try form.asBody()
    #expect(try bytes(of: body) == bytes(of: body))
  }

  @Test func `a JSON value has its type`() throws {
    var form = try MultipartFormData(boundary: "b")
    form.append(json: ["a": 1], name: "value")
    let expected =
      "--b\r\nContent-Disposition: form-data; name=\"value\"\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n--b--\r\n"
    #expect(try text(of: form) == expected)
  }

  @Test func `a value that does not encode is the form's error`() async throws {
    var form = MultipartFormData()
    form.append("first", name: "first")
    form.append(json: Double.infinity, name: "broken")
    let error = try await failure { _ = try form.asBody() }
    #expect(error.kind == .parameterEncodingFailed)
    #expect(error.message.hasPrefix("Part 2 (\"broken\")"))
  }

  @Test func `a part has fields of its own after the form's`() throws {
    var form = try MultipartFormData(boundary: "b")
    form.append("x", name: "n", contentType: "text/x", headers: [.contentLanguage: "en"])
    #expect(try text(of: form).contains("\"n\"\r\nContent-Type: text/x\r\nContent-Language: en\r\n\r\nx"))
  }

  @Test func `the types of files can be overridden`() throws {
    var form = MultipartFormData()
    form.mediaTypes = .system.adding(["png": "image/x-mine"])
    form.append(Data(), name: "n", fileName: "a.PNG")
    #expect(form.parts[0].headers[.contentType] == "image/x-mine")
  }

  @Test func `encoding to a file refuses one that exists and leaves nothing behind on failure`() async throws {
    let folder = try TemporaryFolder()
    var form = MultipartFormData()
    form.append("text", name: "name")
    let target = "\(folder.path)/encoded"
    try await form.writeEncodedData(to: target)
    #expect(try await form.encode() == Data(contentsOf: URL(filePath: target)))
    #expect(try await failure { try await form.writeEncodedData(to: target) }.kind == .fileFailed)
    form.append(.stream { Throwing() }, name: "broken")
    let other = "\(folder.path)/other"
    #expect(try await failure { try await form.writeEncodedData(to: other) }.message.contains("Part 2 (\"broken\")"))
    #expect(!FileManager.default.fileExists(atPath: other))
  }
}

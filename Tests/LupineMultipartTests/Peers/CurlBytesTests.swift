import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMultipart
import LupineTesting
import Testing

/// The installed program `curl`.
private enum Curl {
  static let path = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl") ? "/usr/bin/curl" : nil
}

/// Compares the body of `curl -F` with Lupine's body for the same boundary.
@Suite(.enabled(if: Curl.path != nil || Peers.areRequired, "there is no curl in /usr/bin")) struct CurlBytesTests {
  /// The body that curl sends, and the boundary in its Content-Type.
  private static func sent(_ arguments: [String], folder: TemporaryFolder) throws -> (body: [UInt8], boundary: String) {
    let server = try ScriptedServer(always: .respond(status: 204))
    _ = try run(try #require(Curl.path), ["-q", "-sS", "--noproxy", "*"] + arguments + [server.url], folder: folder)
    let request = try #require(server.requests.first)
    let type = try #require(request.fields["Content-Type"])
    server.stop()
    let boundary = try #require(type.split(separator: "boundary=").last)
    return (request.body, String(boundary))
  }

  @Test func `a form has the bytes that curl sends`() throws {
    let folder = try TemporaryFolder()
    let image = try folder.write(Data((0...255).map { UInt8($0) }), to: "uni\"corn.png")
    let text = try folder.write("text\n", to: "ü.txt")
    let odd = try folder.write("", to: "odd.xyzzy")
    let (body, boundary) = try Self.sent(
      [
        "-F", "title=rainbow", "-F", "empty=", "-F", "unicorn=@\"\(image.replacing("\"", with: "\\\""))\"",
        "-F", "text=@\(text)", "-F", "odd=@\(odd)", "-F", "typed={};type=application/json",
        "-F", "named=@\(text);filename=\"a\\\"b.txt\";type=text/x-named", "-F", "quo\"te=x",
      ], folder: folder)
    var form = try MultipartFormData(boundary: boundary)
    form.append("rainbow", name: "title")
    form.append("", name: "empty")
    form.append(.file(image), name: "unicorn")
    form.append(.file(text), name: "text")
    form.append(.file(odd), name: "odd")
    form.append("{}", name: "typed", contentType: "application/json")
    form.append(.file(text), name: "named", fileName: "a\"b.txt", contentType: "text/x-named")
    form.append("x", name: "quo\"te")
    #expect(String(decoding: try bytes(of: form.asBody()), as: UTF8.self) == String(decoding: body, as: UTF8.self))
    #expect(try bytes(of: form.asBody()) == body)
  }

  @Test func `a part with fields of its own has the bytes that curl sends`() throws {
    let folder = try TemporaryFolder()
    let (body, boundary) = try Self.sent(["-F", "a=b;type=text/x;headers=\"Content-Language: en\""], folder: folder)
    var form = try MultipartFormData(boundary: boundary)
    form.append("b", name: "a", contentType: "text/x", headers: [.contentLanguage: "en"])
    #expect(String(decoding: try bytes(of: form.asBody()), as: UTF8.self) == String(decoding: body, as: UTF8.self))
  }

  @Test func `a nested multipart has the bytes that curl sends`() throws {
    let folder = try TemporaryFolder()
    let (body, boundary) = try Self.sent(
      ["-F", "files=(;type=multipart/mixed", "-F", "=one", "-F", "=two;type=text/x-two", "-F", "=)", "-F", "last=3"],
      folder: folder)
    let parts = try ReceivedPart.parts(of: Data(body), contentType: "multipart/form-data; boundary=\(boundary)")
    let inner = try #require(parts.first?.headers[.contentType]?.split(separator: "boundary=").last)
    var mixed = try Multipart(.mixed, boundary: String(inner))
    mixed.append(.text("one"))
    mixed.append(.text("two"), headers: [.contentType: "text/x-two"])
    var form = try MultipartFormData(boundary: boundary)
    form.append(mixed, name: "files")
    form.append("3", name: "last")
    #expect(String(decoding: try bytes(of: form.asBody()), as: UTF8.self) == String(decoding: body, as: UTF8.self))
  }
}

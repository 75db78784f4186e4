import FoundationEssentials
import Glibc
import LupineCore
import Testing

@testable import LupineCookies

@Suite struct CookieFileTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  /// Calls `body` with the path of a file that does not exist yet, in a new folder.
  private static func withPath(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lupine-\(UInt64.random(in: .min ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.appending(path: "cookies.json").path)
  }

  private static func jar() throws -> CookieJar {
    let jar = CookieJar()
    let fields = ["kept=1; Path=/; Max-Age=100; Secure; HttpOnly; SameSite=Lax; Domain=example.com", "gone=2; Path=/"]
    jar.store(fields, from: try HTTPURL("https://www.example.com/"), now: now)
    return jar
  }

  @Test func `persistent cookies are saved and loaded unchanged`() throws {
    try Self.withPath { path in
      let jar = try Self.jar()
      try jar.save(to: path)
      let other = CookieJar()
      try other.load(from: path, now: Self.now)
      #expect(other.cookies == jar.cookies.filter { $0.name == "kept" })
    }
  }

  @Test func `session cookies are saved if the program asks for it`() throws {
    try Self.withPath { path in
      try Self.jar().save(to: path, includesSessionCookies: true)
      let other = CookieJar()
      try other.load(from: path, now: Self.now)
      #expect(other.cookies.map(\.name) == ["kept", "gone"])
    }
  }

  @Test func `cookies that have expired meanwhile are not loaded`() throws {
    try Self.withPath { path in
      try Self.jar().save(to: path)
      let other = CookieJar()
      try other.load(from: path, now: Self.now.addingTimeInterval(100))
      #expect(other.cookies.isEmpty)
    }
  }

  @Test func `the file is its owner's alone, also where another was there`() throws {
    try Self.withPath { path in
      try Data("old".utf8).write(to: URL(filePath: path))
      chmod(path, 0o644)
      try Self.jar().save(to: path)
      var status = stat()
      #expect(stat(path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      let folder = URL(filePath: path).deletingLastPathComponent().path
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["cookies.json"])
    }
  }

  @Test(arguments: [
    (#"{"version":2,"cookies":[]}"#, "are of version 2, which a later release of Lupine wrote."),
    (#"{"version":3,"cookies":[{"name":{"bytes":[97]}}]}"#, "are of version 3, which a later release of Lupine wrote."),
    (#"{"version":4,"jars":{}}"#, "are of version 4, which a later release of Lupine wrote."),
    (#"{"version":0,"cookies":[]}"#, "are of version 0, which no release of Lupine writes."),
  ])
  func `a file of another version is an error that names the version`(text: String, words: String) throws {
    try Self.withPath { path in
      try Data(text.utf8).write(to: URL(filePath: path))
      let error = #expect(throws: LupineError.self) { try CookieJar().load(from: path) }
      #expect(error?.kind == .fileFailed)
      #expect(error?.message.hasSuffix(words) == true, "\(error?.message ?? "")")
    }
  }

  @Test func `a missing file, or one that the jar did not write, is an error`() throws {
    try Self.withPath { path in
      #expect(throws: LupineError.self) { try CookieJar().load(from: path) }
      try Data("not json".utf8).write(to: URL(filePath: path))
      #expect(throws: LupineError.self) { try CookieJar().load(from: path) }
      #expect(throws: LupineError.self) { try CookieJar().save(to: path + "/below") }
    }
  }

  @Test func `a cookie that no server could have set is not loaded`() throws {
    try Self.withPath { path in
      try Self.jar().save(to: path)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      for (old, new) in [("example.com", "com"), ("\"kept\"", "\"a\\r\\nb\""), ("\"kept\"", "\"a; b\"")] {
        try Data(text.replacing(old, with: new).utf8).write(to: URL(filePath: path))
        let jar = CookieJar()
        try jar.load(from: path, now: Self.now)
        #expect(jar.cookies.isEmpty)
      }
    }
  }
}

import Glibc
import LupineFixtures
import Testing

@testable import LupineCore
@testable import LupineSupport
@testable import LupineTransfers

@Suite struct WritingTests {
  /// Writes a text with a system call that accepts at most three bytes, and whose calls fail with the given errors.
  ///
  /// Returns the error of the whole write, and the bytes that arrived.
  private func write(_ text: String, _ errors: [Int32]) -> (error: Int32?, arrived: String) {
    var errors = errors[...]
    var arrived: [UInt8] = []
    let error = Array(text.utf8).withUnsafeBytes { bytes in
      bytes.write { rest, done in
        #expect(done == arrived.count)
        if let error = errors.popFirst(), error != 0 {
          errno = error
          return -1
        }
        // The writer must ignore `errno` after a successful call.
        errno = EBADF
        arrived += rest.prefix(3)
        return min(3, rest.count)
      }
    }
    return (error, String(decoding: arrived, as: UTF8.self))
  }

  @Test(
    arguments: [([], nil, "content"), ([EINTR, 0, EINTR], nil, "content"), ([0, ENOSPC], ENOSPC, "con")]
      as [([Int32], Int32?, String)])
  func `writing continues after short writes and interruptions, and ends at an error`(
    errors: [Int32], error: Int32?, text: String
  ) {
    let written = write("content", errors)
    #expect(written.error == error)
    #expect(written.arrived == text)
  }

  @Test func `a call that takes nothing is an error`() {
    let error = [UInt8](1...3).withUnsafeBytes { $0.write { _, _ in 0 } }
    #expect(error == EIO)
  }

  @Test func `bytes are written from the offset on`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("0123456789", to: "a")
    let file = try #require(PartialFile.reopen(path, length: nil))
    let error = Array("abc".utf8).withUnsafeBytes { $0.write(to: file.descriptor, at: 4) }
    #expect(error == nil)
    #expect(try folder.text("a") == "0123abc789")
  }

  @Test func `a full disk is named`() throws {
    let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(descriptor) }
    let error = [UInt8](1...3).withUnsafeBytes { $0.write(to: descriptor, at: 0) }
    #expect(error == ENOSPC)
  }
}

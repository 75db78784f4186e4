import HTTPTypes
import LupineCore
import Synchronization
import Testing

@testable import LupineCurl

@Suite struct UploadTests {
  private static func read(_ upload: inout Upload, atMost count: Int = 100) throws(LupineError) -> Int? {
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { space.deallocate() }
    return try upload.read(into: space)
  }

  private static func begin(_ reads: [BodyRead], length: Int64?) throws(LupineError) -> Upload {
    var upload = Upload(ListedReader(reads, length: length))
    _ = try upload.begin(.post, .http1_1)
    return upload
  }

  @Test func `a body of a known length is complete with its last byte`() throws {
    var upload = try Self.begin([.bytes(3), .bytes(2), .end], length: 5)
    #expect(try Self.read(&upload) == 3)
    #expect(!upload.isComplete)
    #expect(try Self.read(&upload) == 2)
    #expect(upload.isComplete && upload.isEmpty)
    #expect(upload.byteCount == 5)
    #expect(try Self.read(&upload) == 0)
  }

  @Test func `a body of an unknown length is complete at its end`() throws {
    var upload = try Self.begin([.bytes(3), .end], length: nil)
    #expect(try Self.read(&upload) == 3)
    #expect(!upload.isComplete)
    #expect(try Self.read(&upload) == 0)
    #expect(upload.isComplete)
  }

  @Test(arguments: [[BodyRead.bytes(3), .end], [.bytes(5), .bytes(1)]])
  func `a body of another length than the stated one fails`(_ reads: [BodyRead]) throws {
    var upload = try Self.begin(reads, length: 5)
    let error = #expect(throws: LupineError.self) { while try Self.read(&upload) != 0 {} }
    #expect(error?.kind == .bodyFailed)
  }

  @Test func `libcurl pauses while the reader has no bytes`() throws {
    var upload = try Self.begin([.pending, .bytes(5), .end], length: 5)
    #expect(upload.resume() == false)
    #expect(try Self.read(&upload) == nil)
    #expect(upload.isPaused)
    #expect(upload.resume() == true)
    #expect(!upload.isPaused)
    #expect(try Self.read(&upload) == 5)
  }

  @Test func `the rest of an abandoned body is not read`() throws {
    var upload = try Self.begin([.bytes(3), .bytes(2)], length: 5)
    #expect(try Self.read(&upload) == 3)
    upload.isAbandoned = true
    #expect(try Self.read(&upload) == nil)
    #expect(upload.resume() == false)
    #expect(upload.byteCount == 3)
  }

  @Test(
    arguments: [
      (.get, .noBody), (.head, .head), (.post, .body(length: 0)), (.put, .body(length: 0)), (.patch, .body(length: 0)),
      (.delete, .noBody),
    ] as [(HTTPRequest.Method, RequestShape)])
  func `the method decides the shape of a request without a body`(
    _ method: HTTPRequest.Method, _ shape: RequestShape
  ) throws {
    var upload = Upload(nil)
    #expect(try upload.begin(method, .http1_1) == shape)
    #expect(upload.isEmpty)
  }

  @Test func `HTTP/1.0 has no framing for a body of an unknown length`() throws {
    var upload = Upload(ListedReader([.end], length: nil))
    #expect(#expect(throws: LupineError.self) { try upload.begin(.post, .http1_0) }?.kind == .invalidRequest)
    #expect(try upload.begin(.post, .http1_1) == .body(length: -1))
  }
}

/// Returns the listed results, one for each read.
private final class ListedReader: BodyReader {
  let length: Int64?
  private let reads: Mutex<[BodyRead]>

  init(_ reads: [BodyRead], length: Int64?) {
    self.reads = Mutex(reads)
    self.length = length
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    reads.withLock { $0.isEmpty ? .end : $0.removeFirst() }
  }

  func cancel() {}
}

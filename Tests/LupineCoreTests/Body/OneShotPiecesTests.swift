import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import Testing

/// Bodies of pieces of any type, and of single bytes.
@Suite struct OneShotPiecesTests {
  private let bench = TestBed()

  /// The content that the mock received.
  private func sent(_ body: RequestBody) async throws -> String? {
    _ = try await bench.session().upload(body, to: TestBed.url).serializingData().value
    return bench.mock.requests.last?.text
  }

  @Test func `the pieces of a body are of any type of bytes`() async throws {
    let data = AsyncStream<Data> { pieces in
      for text in ["hel", "", "lo"] { pieces.yield(Data(text.utf8)) }
      pieces.finish()
    }
    #expect(try await sent(.oneShot(data)) == "hello")
    let slices = AsyncStream<ArraySlice<UInt8>> { pieces in
      pieces.yield(Array("xhello".utf8)[1...])
      pieces.finish()
    }
    #expect(try await sent(.oneShot(length: 5, slices)) == "hello")
  }

  @Test(arguments: [0, 1, 16_384, 16_385, 50_000])
  func `single bytes are sent in order, and all of them`(count: Int) async throws {
    let text = String((0..<count).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
    let bytes = AsyncStream<UInt8> { bytes in
      for byte in text.utf8 { bytes.yield(byte) }
      bytes.finish()
    }
    #expect(try await sent(.oneShot(bytes)) == text)
  }

  @Test func `an error of the sequence ends the request`() async throws {
    struct Broken: Error {}
    let bytes = AsyncThrowingStream<UInt8, any Error> { bytes in
      bytes.yield(1)
      bytes.finish(throwing: Broken())
    }
    let response = try await bench.session().upload(.oneShot(bytes), to: TestBed.url).serializingData().response
    #expect(response.error?.kind == .bodyFailed)
    #expect(response.error?.underlying is Broken)
  }
}

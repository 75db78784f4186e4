import LupineCore
import LupineFoundation
import LupineImage
import LupineMock
import LupineSession
import Testing

@Suite struct ImageSerializerTests {
  private static let url = "https://example.com/lupine"

  private func session(_ reply: MockReply) throws -> Session {
    let mock = MockTransport()
    mock.stub(.get, Self.url, reply)
    return try Session.Builder().transport(mock).build()
  }

  @Test func `a response is decoded and filtered`() async throws {
    let image = try Pictures.gradient(20, 10)
    let session = try session(.data(image.encoded(as: .png), contentType: "image/png"))
    #expect(try await session.request(Self.url).serializingImage().value == image)
    let small = try await session.request(Self.url).serializingImage(filters: [.aspectFit(width: 10, height: 10)]).value
    #expect(small.size == ImageSize(width: 10, height: 5))
    #expect(try await session.request(Self.url).serializingResponse(using: .image).value == image)
    await session.shutdown()
  }

  @Test func `a handler receives the picture`() async throws {
    let image = try Pictures.gradient(20, 10)
    let session = try session(.data(image.encoded(as: .png), contentType: "image/png"))
    let size = await withCheckedContinuation { continuation in
      session.request(Self.url).responseImage(filters: [.circle]) { continuation.resume(returning: $0.value?.size) }
    }
    #expect(size == ImageSize(width: 10, height: 10))
    await session.shutdown()
  }

  @Test(arguments: ["image/jpeg", "text/html", "application/octet-stream"])
  func `another type is refused`(type: String) async throws {
    let session = try session(.data(Pictures.gradient(2, 2).encoded(as: .png), contentType: type))
    let response = await session.request(Self.url).serializingImage().response
    #expect(response.error?.kind == .unacceptableContentType(type))
    #expect(response.error?.request != nil)
    await session.shutdown()
  }

  @Test func `an empty body and a body above a limit are errors`() async throws {
    var session = try session(.status(.noContent))
    #expect(await session.request(Self.url).serializingImage().response.error?.kind == .emptyResponse)
    await session.shutdown()
    session = try self.session(.data(Pictures.gradient(30, 30).encoded(as: .png), contentType: "image/png"))
    var limits = ImageLimits()
    limits.pixels = 899
    let error = await session.request(Self.url).serializingImage(limits: limits).response.error
    #expect(error?.kind == .imageLimitExceeded)
    #expect((error?.underlying as? ImageLimitExceeded)?.limit == .pixels)
    await session.shutdown()
  }

  @Test func `a JPEG is decoded at the smallest size that the first filter allows`() async throws {
    let image = try Pictures.gradient(160, 80)
    let session = try session(.data(Pictures.jpeg(image, orientation: 6), contentType: "image/jpeg"))
    for (width, height) in [(40, 80), (10, 20), (11, 20), (300, 300)] {
      let scaled = try await session.request(Self.url).serializingImage(filters: [.scaled(width: width, height: height)]
      )
      .value
      #expect(scaled.size == ImageSize(width: width, height: height))
      let whole = try Image(decoding: Pictures.jpeg(image, orientation: 6))
      #expect(Pictures.difference(scaled, try whole.applying([.scaled(width: width, height: height)])) < 40)
    }
    await session.shutdown()
  }
}

import Lupine
import Testing
import TransportSupport

@Suite(.besidePeers, .overEachTransport) struct ValidationTests {
  @Test(arguments: [200, 201, 202, 206, 299])
  func `a status from 200 to 299 is accepted`(_ status: Int) async throws {
    let request = try Peer.httpbin.session().request("status/\(status)").validate()
    let error = await request.serializingData().response.error
    // Validation accepts the status; the serializer refuses the empty body.
    #expect(error?.kind == .emptyResponse)
    #expect(error?.response?.status.code == status)
  }

  @Test(arguments: [300, 400, 401, 403, 404, 418, 429, 500, 503])
  func `any other status is refused, and the error has it`(_ status: Int) async throws {
    let response = await (try Peer.httpbin.session()).request("status/\(status)").validate().serializingData().response
    #expect(response.error?.kind == .unacceptableStatusCode(status))
    #expect(response.error?.response?.status.code == status)
    #expect(response.response?.status.code == status)
  }

  @Test func `without validation a 404 is a response like any other`() async throws {
    let response = await (try Peer.nginx.session()).request("no-such-file").serializingString().response
    #expect(response.response?.status == .notFound)
    #expect(response.value?.contains("404") == true)
  }

  @Test func `the body of a refused response is kept`() async throws {
    let response = await (try Peer.nginx.session()).request("no-such-file").validate().serializingString().response
    #expect(response.error?.kind == .unacceptableStatusCode(404))
    #expect(response.data.map { String(decoding: $0, as: UTF8.self) }?.contains("404") == true)
  }

  @Test(arguments: [("png", "image/png"), ("jpeg", "image/*"), ("webp", "*/*"), ("svg", "image/svg+xml")])
  func `an image of an accepted type passes`(_ image: String, _ type: String) async throws {
    let request = try Peer.httpbin.session().request("image/\(image)").validate(contentType: [type])
    #expect(try await request.serializingData().value.isEmpty == false)
  }

  @Test(arguments: [("png", "image/jpeg"), ("jpeg", "text/*"), ("svg", "image/png")])
  func `an image of another type is refused`(_ image: String, _ type: String) async throws {
    let request = try Peer.httpbin.session().request("image/\(image)").validate(contentType: [type])
    let received = image == "svg" ? "image/svg+xml" : "image/\(image)"
    #expect(await request.serializingData().response.error?.kind == .unacceptableContentType(received))
  }

  @Test func `the request's Accept decides if validation names no type`() async throws {
    let session = try Peer.httpbin.session()
    let asked = session.request("image", headers: [.accept: "image/webp"]).validate()
    #expect(await asked.serializingData().response.response?.headerFields[.contentType] == "image/webp")
    let wrong = session.request("image/png", headers: [.accept: "image/webp"]).validate()
    #expect(await wrong.serializingData().response.error?.kind == .unacceptableContentType("image/png"))
  }

  @Test func `a closure that throws refuses the response`() async throws {
    struct Unwanted: Error {}
    let request = try Peer.httpbin.session().request("get").validate { _, _, _ in throw Unwanted() }
    let error = await request.serializingData().response.error
    #expect(error?.kind == .validationFailed)
    #expect(error?.underlying is Unwanted)
  }
}

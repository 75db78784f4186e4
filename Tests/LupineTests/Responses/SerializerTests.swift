import FoundationEssentials
import Lupine
import Testing
import TransportSupport

@Suite(.besidePeers, .overEachTransport) struct SerializerTests {
  @Test func `a serializer of one's own reads XML`() async throws {
    let request = try Peer.httpbin.session().request("xml").validate(contentType: ["application/xml"])
    let titles = try await request.serializingResponse(using: XMLTitles()).value
    #expect(titles == ["Wake up to WonderWidgets!", "Overview"])
  }

  @Test func `text is decoded by its charset`() async throws {
    let text = try await Peer.httpbin.session().request("encoding/utf8").validate().serializingString().value
    #expect(text.contains("∮ E⋅da = Q"))
  }

  @Test func `a body that is no JSON is an error of the serializer`() async throws {
    let response = await (try Peer.httpbin.session()).request("html").validate().serializingJSON().response
    #expect(response.error?.kind == .serializationFailed)
    #expect(response.data?.isEmpty == false)
  }

  @Test func `a 204 is an empty value`() async throws {
    let session = try Peer.nginx.session()
    #expect(try await session.request("empty").validate().serializingDecodable(Empty.self).value == .value)
    #expect(try await session.request("empty").validate().serializingData().value.isEmpty)
  }

  @Test func `a type of one's own is decoded`() async throws {
    struct Answer: Decodable, Equatable {
      let server: String
      let numbers: [Int]
    }
    let answer = try await Peer.nginx.session().request("json").validate().serializingDecodable(Answer.self).value
    #expect(answer == Answer(server: "nginx", numbers: [1, 2, 3]))
  }
}

/// The texts of all `title` elements.
private struct XMLTitles: ResponseSerializer {
  func serialize(_ response: ReceivedResponse) throws -> [String] {
    let text = String(decoding: response.data, as: UTF8.self)
    return text.split(separator: "<title>").dropFirst().compactMap {
      $0.split(separator: "</title>").first.map(String.init)
    }
  }
}

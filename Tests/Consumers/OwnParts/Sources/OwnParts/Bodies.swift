import Foundation
import Lupine

struct OwnEncoder: ParameterEncoder {
  func encode(_ parameters: some Encodable & Sendable, into request: OutgoingRequest) throws -> OutgoingRequest {
    var request = request
    request.body = RequestBody(length: 14, isReplayable: true) { (_) throws(LupineError) in OwnReader() }
    return request
  }
}

/// A reader whose bytes are all available at once.
final class OwnReader: BodyReader {
  var length: Int64? { 14 }

  private let rest = Rest("own parameters")

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    let count = rest.move(to: buffer)
    return count == 0 ? .end : .bytes(count)
  }

  func cancel() {}
}

struct OwnAnswer: Decodable, Sendable, Equatable, EmptyResponse {
  var text: String

  static func emptyValue() -> OwnAnswer { OwnAnswer(text: "") }
}

struct OwnSerializer: ResponseSerializer {
  let preprocessor: any DataPreprocessor

  func serialize(_ response: ReceivedResponse) throws -> OwnAnswer {
    try DecodableResponseSerializer(of: OwnAnswer.self, preprocessor: preprocessor).serialize(response)
  }
}

struct OwnPreprocessor: DataPreprocessor {
  func preprocess(_ data: Data) throws -> Data { Data(String(decoding: data, as: UTF8.self).lowercased().utf8) }
}

/// Decodes only `OwnAnswer`.
struct OwnDecoder: DataDecoder {
  struct Unknown: Error {}

  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    guard let value = OwnAnswer(text: String(decoding: data, as: UTF8.self)) as? Value else { throw Unknown() }
    return value
  }
}

struct OwnCoding: ContentCoding {
  let name = "own"
  let aliases: [String] = []

  func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer { OwnTransformer() }

  func makeEncoder() throws(LupineError) -> any BodyTransformer { OwnTransformer() }
}

/// Passes the bytes on unchanged.
final class OwnTransformer: BodyTransformer {
  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) { try output(input) }

  func finish(into output: Output) throws(LupineError) {}
}

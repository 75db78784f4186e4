import FoundationEssentials
import HTTPTypes
import LupineCore

/// A response whose body has ended.
struct FetchedResponse: Sendable {
  let head: HTTPResponse
  let end: BodyEnd
  let source: TransportResponse.Source
  let log: ExchangeRecord

  var status: Int { head.status.code }
  var text: String { String(decoding: end.data, as: UTF8.self) }
  var fields: [String] { RawFields(head.headerFields).map(\.description) }
}

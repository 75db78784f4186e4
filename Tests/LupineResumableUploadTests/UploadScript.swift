import FoundationEssentials
import HTTPTypes
import LupineCore

@testable import LupineResumableUpload

/// An event in the life of an upload.
enum UploadEvent: Sendable {
  /// A new attempt begins.
  case begin
  /// An exchange of the request begins and sends its whole content.
  case sent
  /// An exchange of the request begins.
  case exchange
  /// The exchange has failed after its transport has taken this number of bytes of the content.
  case lost(Int64)
  case interim(HTTPFields, status: Int = 104)
  case answer(Int, HTTPFields = [:], problem: Int64? = nil)
}

/// The step after the last event.
enum UploadExpectation: Sendable, Hashable {
  case whole, empty, query, finish
  case part(Int64, Int64, isLast: Bool)
  case failure
  case refusal
  case unexpected(LupineError.Kind)
}

/// Plays the events of an upload of 100 bytes, without any request; the suites about `UploadState` conform.
protocol UploadScript {}

extension UploadScript {
  static var now: Date { Date(timeIntervalSince1970: 1_000) }
  static var place: HTTPFields { fields(["Location": "/uploads/1", "Upload-Draft-Interop-Version": "8"]) }
  static var file: String { "https://example.com/files" }

  static func fields(_ pairs: KeyValuePairs<String, String>) -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in pairs { fields.append(HTTPField(name: HTTPField.Name(name) ?? .accept, value: value)) }
    return fields
  }

  static func offset(_ offset: String, complete: String? = "?0") -> HTTPFields {
    var fields = fields(["Upload-Offset": offset])
    fields[.uploadComplete] = complete
    return fields
  }

  /// Plays events and returns the step after the last one.
  static func play(
    _ events: [UploadEvent], _ dialect: UploadDialect = .draft(8), _ creation: UploadCreation = .optimistic,
    length: Int64? = 100, restarts: Bool = true
  ) throws -> UploadExpectation {
    var state = UploadState(
      dialect, creation: creation, length: length, restarts: restarts, target: try HTTPURL(file))
    var step = state.begin(now: now)
    for event in events {
      switch event {
      case .begin: step = state.begin(now: now)
      case .sent:
        state.beginExchange()
        if case .append(let part) = state.action, let count = part.count { state.bodySent(count) }
        if case .create(let content) = state.action { state.bodySent(content == .whole ? length ?? 0 : 0) }
      case .exchange: state.beginExchange()
      case .lost(let count): state.limitOffer(toSent: count)
      case .interim(let fields, let status):
        _ = state.receive(interim: HTTPResponse(status: .init(code: status), headerFields: fields), now: now)
      case .answer(let status, let fields, let problem):
        step = state.receive(
          HTTPResponse(status: .init(code: status), headerFields: fields), problemOffset: problem, now: now)
      }
    }
    return expectation(step)
  }

  static func expectation(_ step: UploadState.Step) -> UploadExpectation {
    switch step {
    case .send(.create(.whole)): .whole
    case .send(.create(.empty)): .empty
    case .send(.query), .send(.discover): .query
    case .send(.append(let part)): .part(part.offset, part.end ?? -1, isLast: part.isLast)
    case .finish: .finish
    case .fail(let error):
      switch error.kind {
      case .uploadSizeRefused: .refusal
      case .resumeFailed: .failure
      default: .unexpected(error.kind)
      }
    }
  }

  /// An upload that the server has located, in a new attempt.
  static var interrupted: [UploadEvent] { [.sent, .interim(place), .begin] }
  /// An upload of which the server has 40 bytes.
  static var continued: [UploadEvent] { interrupted + [.sent, .answer(204, offset("40"))] }

  /// A server that states these limits when it creates the upload.
  static func limited(_ limits: String) -> [UploadEvent] {
    [.answer(201, fields(["Location": "/uploads/1", "Upload-Limit": limits]))]
  }
}

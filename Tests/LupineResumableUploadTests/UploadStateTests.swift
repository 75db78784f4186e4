import FoundationEssentials
import HTTPTypes
import LupineCore
import Testing

@testable import LupineResumableUpload

/// The decisions about an upload of 100 bytes, without any request.
@Suite struct UploadStateTests {
  /// An event in the life of an upload.
  enum Event: Sendable {
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

  enum Expectation: Sendable, Hashable {
    case whole, empty, query, finish
    case part(Int64, Int64, isLast: Bool)
    case failure
    case refusal
    case unexpected(LupineError.Kind)
  }

  private static let now = Date(timeIntervalSince1970: 1_000)
  static let place: HTTPFields = fields(["Location": "/uploads/1", "Upload-Draft-Interop-Version": "8"])
  static let file = "https://example.com/files"

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
  private static func play(
    _ events: [Event], _ dialect: UploadDialect = .draft(8), _ creation: UploadCreation = .optimistic,
    length: Int64? = 100, restarts: Bool = true
  ) throws -> Expectation {
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

  private static func expectation(_ step: UploadState.Step) -> Expectation {
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
  static let interrupted: [Event] = [.sent, .interim(place), .begin]
  /// An upload of which the server has 40 bytes.
  static let continued: [Event] = interrupted + [.sent, .answer(204, offset("40"))]

  static let normal: [([Event], Expectation)] = [
    ([], .whole),
    ([.sent, .answer(200)], .finish),
    ([.sent, .answer(500)], .finish),
    ([.sent, .answer(404)], .finish),
    // Without a location, an attempt begins again.
    ([.sent, .begin], .whole),
    (interrupted, .query),
    (continued, .part(40, 100, isLast: true)),
    (continued + [.sent, .answer(201, offset("100", complete: "?1"))], .finish),
    (continued + [.sent, .answer(201)], .finish),
    // The upload was complete, and processing it failed.
    (continued + [.sent, .answer(400, offset("100", complete: "?1"))], .finish),
    (continued + [.sent, .answer(503)], .finish),
    // Only the response was lost.
    (interrupted + [.answer(204, offset("100", complete: "?1"))], .finish),
    // All bytes have arrived, but the upload is not complete.
    (interrupted + [.answer(204, offset("100"))], .part(100, 100, isLast: true)),
    (interrupted + [.answer(503)], .finish),
    // A server that obtains bytes in another way.
    (
      [.sent, .interim(place), .interim(fields(["Upload-Offset": "30", "Upload-Draft-Interop-Version": "8"])), .begin]
        + [.answer(204, offset("60"))], .part(60, 100, isLast: true)
    ),
    // The server has the upload, but not all of it, although everything was sent.
    ([.sent, .interim(place), .answer(201, offset("10"))], .query),
    (continued + [.sent, .answer(204, offset("60"))], .query),
    // Lost at the server.
    (interrupted + [.answer(404)], .whole),
    (interrupted + [.answer(410)], .whole),
    (continued + [.sent, .answer(404)], .whole),
    (interrupted + [.answer(404), .answer(200)], .finish),
    (interrupted + [.answer(404), .sent, .interim(place), .begin, .answer(404)], .whole),
    // Another exchange of the same request, after a challenge, creates another upload.
    (
      [
        .sent, .interim(place), .sent,
        .interim(fields(["Location": "/uploads/2", "Upload-Draft-Interop-Version": "8"])),
      ]
        + [.answer(200)], .finish
    ),
  ]

  @Test(arguments: normal.indices) func `an upload goes on from what the server has`(place: Int) throws {
    let (events, expected) = Self.normal[place]
    #expect(try Self.play(events) == expected)
  }

  static let hostile: [([Event], Expectation)] = [
    // Offsets that are no numbers, are missing, fall or exceed the length.
    (interrupted + [.answer(204, offset("four"))], .failure),
    (interrupted + [.answer(204, offset("-1"))], .failure),
    (interrupted + [.answer(204, offset("40, 40"))], .failure),
    (interrupted + [.answer(204)], .failure),
    (interrupted + [.answer(204, offset("101"))], .failure),
    (interrupted + [.answer(204, offset("999999999999999"))], .failure),
    (continued + [.begin, .answer(204, offset("39"))], .failure),
    (continued + [.sent, .answer(409, offset("39"))], .failure),
    (continued + [.sent, .answer(409, problem: 101)], .failure),
    (
      continued + [
        .sent, .interim(fields(["Upload-Offset": "39", "Upload-Draft-Interop-Version": "8"])), .answer(200),
      ],
      .failure
    ),
    (
      continued + [
        .sent, .interim(fields(["Upload-Offset": "101", "Upload-Draft-Interop-Version": "8"])), .answer(200),
      ],
      .failure
    ),
    // Another length.
    (interrupted + [.answer(204, fields(["Upload-Offset": "1", "Upload-Length": "99"]))], .failure),
    // Completion that cannot be.
    ([.interim(place), .answer(200)], .failure),
    (interrupted + [.answer(204, offset("40", complete: "?1"))], .failure),
    (continued + [.answer(200, offset("100", complete: "?1"))], .failure),
    (continued + [.answer(200)], .failure),
    // Conflicts without progress.
    (continued + [.answer(409, offset("40")), .answer(409, offset("40")), .answer(409, offset("40"))], .failure),
    (
      continued + [.answer(409), .answer(204, offset("40")), .answer(409), .answer(204, offset("40")), .answer(409)],
      .failure
    ),
    // A server that loses the upload twice in one attempt.
    (interrupted + [.answer(404), .sent, .interim(place), .answer(200, offset("0")), .answer(404)], .failure),
    // Two locations.
    (
      [.sent, .interim(place), .interim(fields(["Location": "/uploads/2", "Upload-Draft-Interop-Version": "8"]))]
        + [.answer(200)], .failure
    ),
    // Redirects that the session has not followed.
    (interrupted + [.answer(302)], .failure),
    (continued + [.sent, .answer(303)], .failure),
    // Not complete, and no location.
    ([.sent, .answer(200, fields(["Upload-Complete": "?0"]))], .failure),
  ]

  @Test(arguments: hostile.indices) func `an impossible statement of the server ends the upload`(place: Int) throws {
    let (events, expected) = Self.hostile[place]
    #expect(try Self.play(events) == expected)
  }

  /// A creation whose connection is lost after 30 bytes, in a new attempt.
  static let lostCreation: [Event] = [.exchange, .interim(place), .lost(30), .begin]

  static let jumps: [([Event], Expectation)] = [
    (lostCreation + [.answer(204, offset("30"))], .part(30, 100, isLast: true)),
    (lostCreation + [.answer(204, offset("31"))], .failure),
    (lostCreation + [.answer(204, offset("90"))], .failure),
    (lostCreation + [.answer(204, offset("100", complete: "?1"))], .failure),
    // It is not known how much has been sent.
    ([.exchange, .interim(place), .begin, .answer(204, offset("90"))], .part(90, 100, isLast: true)),
    (
      [.sent, .interim(place), .answer(503), .begin, .answer(204, offset("40")), .exchange, .lost(10), .begin]
        + [.answer(204, offset("90"))], .part(90, 100, isLast: true)
    ),
    (
      lostCreation + [.answer(204, offset("20")), .exchange, .lost(5), .begin, .answer(204, offset("30"))],
      .part(30, 100, isLast: true)
    ),
    (lostCreation + [.answer(204, offset("30")), .exchange, .lost(5), .begin, .answer(204, offset("36"))], .failure),
    (lostCreation + [.answer(204, offset("30")), .exchange, .lost(0), .begin, .answer(204, offset("31"))], .failure),
    // A conflict while the append is sent.
    (lostCreation + [.answer(204, offset("30")), .exchange, .lost(10), .answer(409, offset("41"))], .failure),
    // An append that a redirect sends twice.
    (
      lostCreation + [.answer(204, offset("30")), .exchange, .lost(20), .exchange, .lost(0), .begin]
        + [.answer(204, offset("50"))], .part(50, 100, isLast: true)
    ),
    (
      lostCreation + [.answer(204, offset("30")), .exchange, .lost(20), .exchange, .lost(0), .begin]
        + [.answer(204, offset("51"))], .failure
    ),
    // Another upload begins, which has nothing yet.
    (
      lostCreation + [.answer(404), .exchange, .interim(place), .lost(10), .begin, .answer(204, offset("11"))],
      .failure
    ),
  ]

  @Test(arguments: jumps.indices)
  func `the server cannot have more than has been sent, so a jump ends the upload`(place: Int) throws {
    let (events, expected) = Self.jumps[place]
    #expect(try Self.play(events) == expected)
  }

  @Test func `an offset of an upload from another process may be anywhere`() throws {
    var state = UploadState(
      .draft(8), creation: .optimistic, length: 100, restarts: true, target: try HTTPURL(Self.file))
    state.location = try HTTPURL("https://example.com/uploads/1")
    state.restore(acknowledged: 30)
    _ = state.begin(now: Self.now)
    let head = HTTPResponse(status: .noContent, headerFields: Self.offset("90"))
    #expect(Self.expectation(state.receive(head, now: Self.now)) == .part(90, 100, isLast: true))
  }

  static let ignored: [Event] = [
    .interim(fields(["Location": "/uploads/1"])),
    .interim(fields(["Location": "/uploads/1", "Upload-Draft-Interop-Version": "6"])),
    .interim(fields(["Location": "/uploads/1", "Upload-Draft-Interop-Version": "8, 8"])),
    .interim(fields(["Location": "/uploads/1", "Upload-Draft-Interop-Version": "eight"])),
    .interim(place, status: 103),
    .interim(place, status: 100),
    .interim(fields(["Upload-Draft-Interop-Version": "8"])),
    .interim(fields(["Location": "/files", "Upload-Draft-Interop-Version": "8"])),
    .interim(fields(["Location": "", "Upload-Draft-Interop-Version": "8"])),
    .interim(fields(["Location": "#x", "Upload-Draft-Interop-Version": "8"])),
    .interim(fields(["Location": "http://example.com/uploads/1", "Upload-Draft-Interop-Version": "8"])),
    .interim(fields(["Location": "ftp://example.com/uploads/1", "Upload-Draft-Interop-Version": "8"])),
    .interim(fields(["Location": "https://exa mple/", "Upload-Draft-Interop-Version": "8"])),
  ]

  @Test(arguments: ignored.indices)
  func `an interim response without a usable location of the same version is ignored`(place: Int) throws {
    #expect(try Self.play([.sent, Self.ignored[place], .begin]) == .whole)
    #expect(try Self.play([.sent, Self.ignored[place], .answer(200)]) == .finish)
  }

  @Test func `an endless series of interim responses changes nothing`() throws {
    let progress = Event.interim(Self.fields(["Upload-Offset": "7", "Upload-Draft-Interop-Version": "8"]))
    let events = [.sent, .interim(Self.place)] + [Event](repeating: progress, count: 10_000)
    #expect(try Self.play(events + [.answer(200)]) == .finish)
  }

  @Test func `the final form has no version, and ignores the interim response of a draft`() throws {
    let place = Event.interim(Self.fields(["Location": "/uploads/1"]))
    #expect(try Self.play([.sent, place, .begin], .final) == .query)
    #expect(try Self.play([.sent, .interim(Self.place), .begin], .final) == .whole)
  }

  static let careful: [([Event], Expectation)] = [
    ([], .empty),
    ([.answer(201, place)], .part(0, 100, isLast: true)),
    ([.answer(201)], .failure),
    ([.answer(200, fields(["Location": "/files"]))], .failure),
    ([.answer(404)], .finish),
    ([.begin], .empty),
    ([.answer(201, fields(["Location": "/uploads/1", "Upload-Complete": "?1"]))], .failure),
    ([.answer(201, fields(["Location": "/uploads/1", "Upload-Offset": "101"]))], .failure),
    // More than any request has sent.
    ([.answer(201, fields(["Location": "/uploads/1", "Upload-Offset": "1"]))], .failure),
    ([.answer(201, place), .begin, .answer(204, offset("100"))], .part(100, 100, isLast: true)),
    (limited("max-append-size=60") + [.sent, .begin, .answer(204, offset("60"))], .part(60, 100, isLast: true)),
    (limited("max-append-size=60") + [.sent, .begin, .answer(204, offset("61"))], .failure),
    (limited("max-append-size=60") + [.sent, .answer(409, offset("61"))], .failure),
  ]

  @Test(arguments: careful.indices) func `a careful upload begins without content`(place: Int) throws {
    let (events, expected) = Self.careful[place]
    #expect(try Self.play(events, .draft(8), .careful) == expected)
  }

  static func limited(_ limits: String) -> [Event] {
    [.answer(201, fields(["Location": "/uploads/1", "Upload-Limit": limits]))]
  }

  static let limits: [([Event], Expectation)] = [
    (limited("max-size=99"), .refusal),
    (limited("min-size=101"), .refusal),
    (limited("max-size=100, min-size=100"), .part(0, 100, isLast: true)),
    (limited("max-append-size=60"), .part(0, 60, isLast: false)),
    (limited("max-append-size=60") + [.sent, .answer(204)], .part(60, 100, isLast: true)),
    (limited("max-append-size=60") + [.sent, .answer(204, offset("55"))], .part(55, 100, isLast: true)),
    (limited("max-append-size=100"), .part(0, 100, isLast: true)),
    (limited("max-append-size=0"), .refusal),
    (limited("max-append-size=10, min-append-size=20"), .refusal),
    (limited("max-append-size=60, min-append-size=50") + [.sent, .answer(204)], .part(60, 100, isLast: true)),
    // Limits that change.
    (
      limited("max-append-size=60") + [.sent, .answer(204, fields(["Upload-Limit": "max-append-size=10"]))],
      .part(60, 70, isLast: false)
    ),
    (limited("max-append-size=60") + [.sent, .answer(204, fields(["Upload-Limit": "max-size=10"]))], .refusal),
    // A part that is complete too early.
    (limited("max-append-size=60") + [.sent, .answer(200, fields(["Upload-Complete": "?1"]))], .failure),
    // Parts without progress.
    (limited("max-append-size=60") + [Event](repeating: .answer(204, offset("0")), count: 3), .failure),
    // An upload that has expired is begun again.
    (limited("max-age=0") + [.begin], .empty),
    (limited("max-age=1") + [.begin], .query),
    // Smaller parts after 413, once.
    (limited("") + [.answer(413)], .query),
    (limited("") + [.answer(413), .answer(204, offset("0"))], .part(0, 50, isLast: false)),
    (
      limited("") + [.answer(413, fields(["Upload-Limit": "max-append-size=30"])), .answer(204, offset("0"))],
      .part(0, 30, isLast: false)
    ),
    (limited("min-append-size=70") + [.answer(413), .answer(204, offset("0"))], .part(0, 70, isLast: false)),
    (limited("") + [.answer(413), .answer(204, offset("0")), .answer(413)], .finish),
  ]

  @Test(arguments: limits.indices) func `the limits of the server are kept`(place: Int) throws {
    let (events, expected) = Self.limits[place]
    // `sent` stands for the whole content of a part; a script without it has none to send.
    let played = events.enumerated().flatMap { index, event -> [Event] in
      if case .answer(let status, _, _) = event, index > 0, (200..<300).contains(status) { return [.sent, event] }
      return [event]
    }
    #expect(try Self.play(played, .draft(8), .careful) == expected)
  }

  @Test func `a request that is too large is sent in parts if the server supports them`() throws {
    let limits = Self.fields(["Upload-Limit": "max-append-size=30"])
    #expect(try Self.play([.sent, .answer(413)]) == .finish)
    #expect(try Self.play([.sent, .answer(413, limits)]) == .empty)
    #expect(try Self.play([.sent, .answer(413, limits), .answer(201, Self.place)]) == .part(0, 30, isLast: false))
    #expect(try Self.play([.sent, .interim(Self.place), .answer(413)]) == .query)
  }

  @Test func `an interim response with a limit below the length ends the upload at once`() throws {
    var state = UploadState(
      .draft(8), creation: .optimistic, length: 100, restarts: true, target: try HTTPURL(Self.file))
    _ = state.begin(now: Self.now)
    var fields = Self.place
    fields[.uploadLimit] = "max-size=99"
    let head = HTTPResponse(status: .init(code: 104), headerFields: fields)
    #expect(state.receive(interim: head, now: Self.now)?.kind == .uploadSizeRefused)
    #expect(state.location?.string == "https://example.com/uploads/1")
  }

  @Test func `with the policy fail, an upload that the server has lost is an error`() throws {
    #expect(try Self.play(Self.interrupted + [.answer(404)], restarts: false) == .failure)
  }

  @Test func `a body of unknown length is sent in one append`() throws {
    let events = Self.interrupted + [.sent, .answer(204, Self.offset("40"))]
    #expect(try Self.play(events, length: nil) == .part(40, -1, isLast: true))
    #expect(try Self.play(Self.limited("max-append-size=60"), .draft(8), .careful, length: nil) == .refusal)
  }

  static let tus: [([Event], Expectation)] = [
    ([], .empty),
    ([.answer(201, fields(["Location": "/uploads/1"]))], .part(0, 100, isLast: true)),
    (
      [.answer(201, fields(["Location": "/uploads/1"])), .sent, .answer(204, fields(["Upload-Offset": "100"]))], .finish
    ),
    (
      [.answer(201, fields(["Location": "/uploads/1"])), .sent, .answer(204, fields(["Upload-Offset": "60"]))],
      .part(60, 100, isLast: true)
    ),
    (
      [.answer(201, fields(["Location": "/uploads/1"])), .begin, .answer(200, fields(["Upload-Offset": "60"]))],
      .part(60, 100, isLast: true)
    ),
    (
      [.answer(201, fields(["Location": "/uploads/1"])), .begin, .answer(200, fields(["Upload-Offset": "100"]))],
      .finish
    ),
    ([.answer(201, fields(["Location": "/uploads/1"])), .sent, .answer(460)], .query),
    (
      [.answer(201, fields(["Location": "/uploads/1", "Upload-Expires": "Thu, 01 Jan 1970 00:16:00 GMT"])), .begin],
      .empty
    ),
    (
      [.answer(201, fields(["Location": "/uploads/1", "Upload-Expires": "Thu, 01 Jan 1970 00:17:00 GMT"])), .begin],
      .query
    ),
    ([.answer(201, fields(["Location": "/uploads/1", "Tus-Max-Size": "99"]))], .refusal),
    ([.answer(412, fields(["Tus-Version": "0.2.2"]))], .finish),
    ([.answer(201)], .failure),
  ]

  @Test(arguments: tus.indices) func `tus has its own rules for the end of an upload`(place: Int) throws {
    let (events, expected) = Self.tus[place]
    #expect(try Self.play(events, .tus) == expected)
  }
}
